// What the administration of OAuth clients takes and answers. Names of metadata are those of RFC 7591.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { nextCursorProperty } from '@tradewind/service-kit';
import { MayBeAbsent, MayBeNull, platformResource } from '@tradewind/shared-types';
import { ArrayMaxSize, IsArray, IsIn, Matches } from 'class-validator';
import type { OAuthClient } from '../clients/oauth-client.entity.js';
import { introspectsAudience } from '../oidc/provider-configuration.js';
import { IsPlainText } from './field-rules.js';

/** Longest id of a client, name and list of scopes, characters. */
const textLengthMax = 200;
const uriLengthMax = 2000;
/** In one list; as registration, which takes 8 KiB, allows about. */
const urisMax = 100;

const authMethods = ['client_secret_post', 'client_secret_basic', 'none', 'private_key_jwt'] as const;
const grantTypes = ['authorization_code', 'refresh_token'];
const redirectUri = 'https://reports.example.com/callback';
const clientId = 'reports';

export class ClientPathDto {
  @ApiProperty({ type: String, maxLength: textLengthMax, example: clientId })
  @IsPlainText(textLengthMax)
  client_id!: string;
}

class ClientMetadataDto {
  @ApiPropertyOptional({
    type: [String],
    maxItems: urisMax,
    example: grantTypes,
    description: 'authorization_code, refresh_token; a new client has both unless they are given',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(urisMax)
  @IsPlainText(textLengthMax, true)
  grant_types?: string[];
}

export class CreateClientDto extends ClientMetadataDto {
  @ApiPropertyOptional({
    type: String,
    maxLength: textLengthMax,
    pattern: '^[A-Za-z0-9._~-]+$',
    description: 'Random unless given',
    example: clientId,
  })
  @MayBeAbsent()
  @IsPlainText(textLengthMax)
  @Matches(/^[A-Za-z0-9._~-]+$/)
  client_id?: string;

  @ApiPropertyOptional({ type: String, maxLength: textLengthMax, description: 'Shown to users', example: 'Reports' })
  @MayBeAbsent()
  @IsPlainText(textLengthMax)
  client_name?: string;

  @ApiProperty({ type: [String], maxItems: urisMax, example: [redirectUri] })
  @IsArray()
  @ArrayMaxSize(urisMax)
  @IsPlainText(uriLengthMax, true)
  redirect_uris!: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: urisMax,
    description: 'Where a sign-out may lead back to',
    example: ['https://app.example.com/'],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(urisMax)
  @IsPlainText(uriLengthMax, true)
  post_logout_redirect_uris?: string[];

  @ApiPropertyOptional({
    type: String,
    maxLength: uriLengthMax,
    description: 'Called when a session ends (OpenID Back-Channel Logout)',
    example: 'https://app.example.com/signed-out',
  })
  @MayBeAbsent()
  @IsPlainText(uriLengthMax)
  backchannel_logout_uri?: string;

  @ApiPropertyOptional({ type: String, enum: authMethods, default: 'client_secret_post' })
  @MayBeAbsent()
  @IsIn(authMethods)
  token_endpoint_auth_method: (typeof authMethods)[number] = 'client_secret_post';

  @ApiPropertyOptional({
    type: String,
    maxLength: textLengthMax,
    description: 'Scopes that it may ask for, separated by blanks; all unless given',
    example: 'openid email offline_access',
  })
  @MayBeAbsent()
  @IsPlainText(textLengthMax)
  scope?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: uriLengthMax,
    description: 'A resource server: it may introspect the tokens that are made for this audience',
    example: 'urn:tradewind:data',
  })
  @MayBeAbsent()
  @IsPlainText(uriLengthMax)
  introspects?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: urisMax,
    description: 'Resources that it may ask tokens for, in addition to the issuer',
    example: [platformResource.data],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(urisMax)
  @IsPlainText(uriLengthMax, true)
  resources?: string[];
}

/** What is absent stays; null removes. */
export class EditClientDto extends ClientMetadataDto {
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: textLengthMax, example: 'Reports' })
  @MayBeNull()
  @IsPlainText(textLengthMax)
  client_name?: string | null;

  @ApiPropertyOptional({ type: [String], maxItems: urisMax, example: [redirectUri] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(urisMax)
  @IsPlainText(uriLengthMax, true)
  redirect_uris?: string[];

  @ApiPropertyOptional({ type: [String], nullable: true, maxItems: urisMax, example: ['https://app.example.com/'] })
  @MayBeNull()
  @IsArray()
  @ArrayMaxSize(urisMax)
  @IsPlainText(uriLengthMax, true)
  post_logout_redirect_uris?: string[] | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: uriLengthMax,
    example: 'https://app.example.com/signed-out',
  })
  @MayBeNull()
  @IsPlainText(uriLengthMax)
  backchannel_logout_uri?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: textLengthMax,
    example: 'openid email offline_access',
  })
  @MayBeNull()
  @IsPlainText(textLengthMax)
  scope?: string | null;
}

export class ResourceDto {
  @ApiProperty({ type: String, maxLength: uriLengthMax, example: platformResource.data })
  @IsPlainText(uriLengthMax)
  resource!: string;
}

export class ClientDto {
  @ApiProperty({ type: String, example: clientId }) client_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Reports' }) client_name!: string | null;

  @ApiProperty({ type: String, enum: ['operator', 'registration'], description: 'Who made it', example: 'operator' })
  origin!: OAuthClient['origin'];

  @ApiProperty({ type: [String], example: [redirectUri] }) redirect_uris!: string[];
  @ApiProperty({ type: [String], example: [] }) post_logout_redirect_uris!: string[];
  @ApiProperty({ type: String, nullable: true, example: null }) backchannel_logout_uri!: string | null;
  @ApiProperty({ type: [String], example: grantTypes }) grant_types!: string[];
  @ApiProperty({ type: String, example: 'client_secret_post' }) token_endpoint_auth_method!: string;
  @ApiProperty({ type: String, nullable: true, example: null, description: 'Null: all' }) scope!: string | null;
  @ApiProperty({ type: String, nullable: true, example: null }) introspects!: string | null;

  @ApiProperty({
    type: [String],
    description: 'Resources that it may ask tokens for, in addition to the issuer',
    example: [platformResource.data],
  })
  resources!: string[];

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-24T10:00:00.123Z' }) created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null, description: 'Null: never' })
  used_at!: string | null;
}

export class ClientWithSecretDto extends ClientDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Shown this once; null for a client that has none',
    example: 'CLIENT_SECRET',
  })
  client_secret!: string | null;
}

export class ClientPageDto {
  @ApiProperty({ type: [ClientDto], description: 'Newest first' }) clients!: ClientDto[];
  @ApiProperty({ ...nextCursorProperty, example: null }) next_cursor!: string | null;
}

export function clientDto({ clientId: id, metadata, origin, resources, createdAt, usedAt }: OAuthClient): ClientDto {
  const text = (name: string) => (typeof metadata[name] === 'string' ? metadata[name] : null);
  const texts = (name: string) => [metadata[name] ?? []].flat().filter((one): one is string => typeof one === 'string');
  return {
    client_id: id,
    client_name: text('client_name'),
    origin,
    redirect_uris: texts('redirect_uris'),
    post_logout_redirect_uris: texts('post_logout_redirect_uris'),
    backchannel_logout_uri: text('backchannel_logout_uri'),
    grant_types: texts('grant_types'),
    token_endpoint_auth_method: text('token_endpoint_auth_method') ?? 'client_secret_post',
    scope: text('scope'),
    introspects: text(introspectsAudience),
    resources,
    created_at: createdAt.toISOString(),
    used_at: usedAt?.toISOString() ?? null,
  };
}
