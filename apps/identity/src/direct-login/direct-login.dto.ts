import type { UserRole } from '@tradewind/shared-types';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { emailLengthMax, passwordLengthMax } from '../users/credential-limits.js';

export class DirectLoginRequest {
  @IsString()
  @MinLength(1)
  @MaxLength(emailLengthMax)
  email!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(passwordLengthMax)
  password!: string;
}

export interface UserProfile {
  id: string;
  email: string;
  emailVerified: boolean;
  userRole: UserRole;
}

export interface DirectLoginResponse {
  /** JWT for `Authorization: Bearer` at /auth/me and at the platform's other services. */
  token: string;
  user: UserProfile;
}
