import { IsString, MaxLength, MinLength } from 'class-validator';
import { emailLengthMax, passwordLengthMax } from '../users/credential-limits.js';
import type { User } from '../users/users.types.js';

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

export type UserProfile = Pick<User, 'id' | 'email' | 'emailVerified' | 'userRole'>;

export interface DirectLoginResponse {
  /** JWT for `Authorization: Bearer` at /auth/me and at the platform's other services. */
  token: string;
  user: UserProfile;
}
