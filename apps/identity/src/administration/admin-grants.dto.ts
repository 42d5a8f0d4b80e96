// What the administration of grants takes and answers.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { nextCursorProperty } from '@tradewind/service-kit';
import { MayBeAbsent, platformResource } from '@tradewind/shared-types';
import { IsUUID } from 'class-validator';
import type { Grant } from '../oidc/payloads/user-payloads.store.js';
import { PageQueryDto } from './admin-users.dto.js';
import { IsPlainText } from './field-rules.js';

/** Longest id of a client, characters. */
const clientIdLengthMax = 200;
/** Longer than any id of a grant. */
const grantIdLengthMax = 100;
const userId = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';
const grantId = 'GRANT_ID';

export class GrantListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    example: userId,
    description: 'The user who allowed it; required for a caller who belongs to a company',
  })
  @MayBeAbsent()
  @IsUUID()
  user_id?: string;

  @ApiPropertyOptional({ type: String, maxLength: clientIdLengthMax, example: 'reports' })
  @MayBeAbsent()
  @IsPlainText(clientIdLengthMax)
  client_id?: string;
}

export class GrantPathDto {
  @ApiProperty({ type: String, maxLength: grantIdLengthMax, example: grantId })
  @IsPlainText(grantIdLengthMax)
  grant_id!: string;
}

export class GrantedResourceDto {
  @ApiProperty({ type: String, example: platformResource.data }) resource!: string;
  @ApiProperty({ type: String, example: 'openid', description: 'Scopes, separated by blanks' }) scope!: string;
}

export class GrantDto {
  @ApiProperty({ type: String, example: grantId }) id!: string;
  @ApiProperty({ type: String, format: 'uuid', example: userId }) user_id!: string;
  @ApiProperty({ type: String, example: 'reports' }) client_id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'openid email',
    description: 'Scopes about the user, separated by blanks; null: none',
  })
  scope!: string | null;

  @ApiProperty({
    type: [GrantedResourceDto],
    example: [{ resource: platformResource.data, scope: 'openid' }],
  })
  resources!: GrantedResourceDto[];

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-24T10:00:00.000Z' }) created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When a token was last made with it; null: not since the first',
  })
  used_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-12-08T10:00:00.000Z' }) expires_at!: string;
}

export class GrantPageDto {
  @ApiProperty({ type: [GrantDto], description: 'Those that last longest first' }) grants!: GrantDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export const grantDto = (grant: Grant): GrantDto => ({
  id: grant.id,
  user_id: grant.userId,
  client_id: grant.clientId,
  scope: grant.scope,
  resources: Object.entries(grant.resources ?? {}).map(([resource, scope]) => ({ resource, scope })),
  created_at: grant.createdAt.toISOString(),
  used_at: grant.usedAt?.toISOString() ?? null,
  expires_at: grant.expiresAt.toISOString(),
});
