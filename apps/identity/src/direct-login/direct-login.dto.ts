import type { UserRole } from '@tradewind/shared-types';
import { IsString, MaxLength, MinLength } from 'class-validator';

export class DirectLoginRequest {
  @IsString()
  @MinLength(1)
  @MaxLength(254)
  email!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(1024)
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
