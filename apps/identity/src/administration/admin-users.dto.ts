// What the administration of users takes and answers.
import { languages } from '../pages/page-messages.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsPageCursor,
  IsPageLimit,
  nextCursorProperty,
  pageCursorProperty,
  pageLimitDefault,
  pageLimitProperty,
} from '@tradewind/service-kit';
import { MayBeAbsent, MayBeNull, userRoles, type UserRole } from '@tradewind/shared-types';
import { IsBoolean, IsIn, IsString, IsUUID, MaxLength } from 'class-validator';
import type { SessionOfList } from '../oidc/payloads/user-payloads.store.js';
import { emailLengthMax, passwordLengthMax, passwordLengthMin } from '../users/credential-limits.js';
import type { UserAccount } from '../users/user-account.entity.js';
import type { ListedUser } from '../users/users.store.js';
import { IsPlainText, MayBeNullOnly } from './field-rules.js';

/** Longest name and id of a company, characters. */
const nameLengthMax = 200;
const userId = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';
const sessionId = 'SESSION_ID';
/** Longer than any id of a session. */
const sessionIdLengthMax = 100;

export class PageQueryDto {
  @ApiPropertyOptional(pageLimitProperty)
  @IsPageLimit()
  limit: number = pageLimitDefault;

  @ApiPropertyOptional(pageCursorProperty)
  @IsPageCursor()
  cursor?: string;
}

export class UserListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    type: String,
    maxLength: emailLengthMax,
    description: 'How the email address begins, in any case; the list is then in the order of addresses',
    example: 'ada@',
  })
  @MayBeAbsent()
  @IsPlainText(emailLengthMax)
  search?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: nameLengthMax,
    description: 'The company they belong to',
    example: 'acme',
  })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  company_id?: string;

  @ApiPropertyOptional({ type: String, enum: userRoles })
  @MayBeAbsent()
  @IsIn(userRoles)
  role?: UserRole;
}

export class UserPathDto {
  @ApiProperty({ type: String, format: 'uuid', example: userId, description: 'The `sub` of its tokens' })
  @IsUUID()
  user_id!: string;
}

export class SessionPathDto extends UserPathDto {
  @ApiProperty({ type: String, maxLength: sessionIdLengthMax, example: sessionId })
  @IsPlainText(sessionIdLengthMax)
  session_id!: string;
}

export class CreateUserDto {
  @ApiProperty({ type: String, format: 'email', maxLength: emailLengthMax, example: 'ada@example.com' })
  @IsString()
  @MaxLength(emailLengthMax)
  email!: string;

  @ApiProperty({
    type: String,
    minLength: passwordLengthMin,
    maxLength: passwordLengthMax,
    example: 'correct horse battery',
  })
  @IsString()
  @MaxLength(passwordLengthMax)
  password!: string;

  @ApiPropertyOptional({ type: String, enum: userRoles, default: 'USER' })
  @MayBeAbsent()
  @IsIn(userRoles)
  role: UserRole = 'USER';

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    maxLength: nameLengthMax,
    description: 'The one company that the user belongs to; for a caller of a company, that company',
    example: 'acme',
  })
  @MayBeNull()
  @IsPlainText(nameLengthMax)
  company_id: string | null = null;

  @ApiPropertyOptional({ type: Boolean, default: false, description: 'The address is known to be theirs' })
  @MayBeAbsent()
  @IsBoolean()
  email_verified: boolean = false;

  @ApiPropertyOptional({ type: String, maxLength: nameLengthMax, description: 'Full name', example: 'Ada Lovelace' })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  name?: string;

  @ApiPropertyOptional({ type: String, maxLength: nameLengthMax, example: 'Ada' })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  given_name?: string;

  @ApiPropertyOptional({ type: String, maxLength: nameLengthMax, example: 'Lovelace' })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  family_name?: string;

  @ApiPropertyOptional({ type: String, maxLength: nameLengthMax, example: 'ada' })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  preferred_username?: string;
}

const mailLanguages = languages.map(({ language }) => language);

export class InviteUserDto {
  @ApiProperty({ type: String, format: 'email', maxLength: emailLengthMax, example: 'ada@example.com' })
  @IsString()
  @MaxLength(emailLengthMax)
  email!: string;

  @ApiPropertyOptional({ type: String, enum: userRoles, default: 'USER' })
  @MayBeAbsent()
  @IsIn(userRoles)
  role: UserRole = 'USER';

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    maxLength: nameLengthMax,
    description: 'The one company that the user belongs to; for a caller of a company, that company',
    example: 'acme',
  })
  @MayBeNull()
  @IsPlainText(nameLengthMax)
  company_id: string | null = null;

  @ApiPropertyOptional({ type: String, maxLength: nameLengthMax, description: 'Full name', example: 'Ada Lovelace' })
  @MayBeAbsent()
  @IsPlainText(nameLengthMax)
  name?: string;

  @ApiPropertyOptional({
    type: String,
    enum: mailLanguages,
    description: 'Language of this mail and later ones; that of Accept-Language for this one unless given',
    example: 'de',
  })
  @MayBeAbsent()
  @IsIn(mailLanguages)
  language?: string;
}

export class SetRoleDto {
  @ApiProperty({ type: String, enum: userRoles })
  @IsIn(userRoles)
  role!: UserRole;
}

export class SetCompanyDto {
  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: nameLengthMax,
    description: 'Null: the user belongs to none',
    example: 'acme',
  })
  @MayBeNullOnly()
  @IsPlainText(nameLengthMax)
  company_id!: string | null;
}

export class UserDto {
  @ApiProperty({ type: String, format: 'uuid', example: userId }) id!: string;
  @ApiProperty({ type: String, example: 'ada@example.com' }) email!: string;
  @ApiProperty({ type: Boolean, example: true }) email_verified!: boolean;
  @ApiProperty({ type: String, enum: userRoles, example: 'ANALYST' }) role!: UserRole;
  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' }) name!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) given_name!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) family_name!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'ada' }) preferred_username!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'acme', description: 'Null: the user belongs to none' })
  company_id!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'Since when the user is disabled; null: is not',
  })
  disabled_at!: string | null;

  @ApiProperty({ type: Boolean, example: true, description: 'Whether sign-in asks for an app or a passkey, too' })
  has_second_factor!: boolean;

  @ApiProperty({
    type: String,
    enum: mailLanguages,
    nullable: true,
    example: 'de',
    description: 'Of the mails that others cause: that of the last sign-in, or of the invitation; null: none is known',
  })
  language!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-24T10:00:00.123Z' }) created_at!: string;
}

export class UserLinkDto {
  @ApiProperty({ type: UserDto }) user!: UserDto;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The link, here alone, for the user and nobody else; null: it is mailed. It works once, for a day',
  })
  link!: string | null;
}

export class UserPageDto {
  @ApiProperty({ type: [UserDto] }) users!: UserDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export class SessionDto {
  @ApiProperty({ type: String, example: sessionId }) id!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-24T10:00:00.000Z' })
  signed_in_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Within ten minutes', example: null })
  used_at!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7', description: 'Of its last use' })
  address!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Mozilla/5.0',
    description: 'The `User-Agent` of its last use',
  })
  browser!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-12-08T10:00:00.000Z' }) expires_at!: string;
}

export class SessionPageDto {
  @ApiProperty({ type: [SessionDto], description: 'Those that last longest first' }) sessions!: SessionDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export function userDto(user: Omit<ListedUser, 'credentialsVersion'>): UserDto {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.emailVerified,
    role: user.userRole,
    name: user.name,
    given_name: user.givenName,
    family_name: user.familyName,
    preferred_username: user.preferredUsername,
    company_id: user.companyId,
    disabled_at: user.disabledAt?.toISOString() ?? null,
    has_second_factor: user.secondFactorAt !== null,
    language: user.language,
    created_at: user.createdAt.toISOString(),
  };
}

export const userLinkDto = ({ user, link }: { user: UserAccount; link: string | undefined }): UserLinkDto => ({
  user: userDto(user),
  link: link ?? null,
});

export function sessionDto({ uid, payload, expiresAt }: SessionOfList): SessionDto {
  const { loginTs, usedTs, address, browser } = payload;
  return {
    id: uid,
    signed_in_at: timeOfSeconds(loginTs),
    used_at: timeOfSeconds(usedTs),
    address: address ?? null,
    browser: browser ?? null,
    expires_at: expiresAt.toISOString(),
  };
}

const timeOfSeconds = (seconds: number | null | undefined): string | null =>
  typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : null;
