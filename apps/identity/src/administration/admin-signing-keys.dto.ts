// What the administration of signing keys takes and answers. Nothing shows a private key.
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MayBeAbsent } from '@tradewind/shared-types';
import { IsBoolean } from 'class-validator';
import type { SigningKey, SigningKeyState } from '../signing-keys/signing-key.entity.js';

const states: SigningKeyState[] = ['next', 'current', 'previous'];
const date = '2026-11-24T10:00:00.123Z';

export class RotateSigningKeyDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'Even when the next key was published just now; verifiers with a cached key set may refuse new tokens',
  })
  @MayBeAbsent()
  @IsBoolean()
  force: boolean = false;
}

export class SigningKeyDto {
  @ApiProperty({ type: String, example: 'KEY_ID', description: '`kid` in the JWKS and in the headers of tokens' })
  kid!: string;

  @ApiProperty({ type: String, example: 'RS256' }) alg!: string;

  @ApiProperty({
    enum: states,
    example: 'current',
    description:
      'next: published, does not sign yet; current: signs; previous: published until its tokens have expired',
  })
  state!: SigningKeyState;

  @ApiProperty({ type: String, format: 'date-time', example: date }) created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: date, description: 'Signs since' })
  activated_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null, description: 'Published until' })
  expires_at!: string | null;
}

export class SigningKeysDto {
  @ApiProperty({ type: [SigningKeyDto], description: 'The current key, the next one, then those before' })
  signing_keys!: SigningKeyDto[];
}

export const signingKeyDto = ({
  kid,
  publicJwk,
  state,
  createdAt,
  activatedAt,
  expiresAt,
}: SigningKey): SigningKeyDto => ({
  kid,
  alg: publicJwk.alg ?? 'RS256',
  state,
  created_at: createdAt.toISOString(),
  activated_at: activatedAt?.toISOString() ?? null,
  expires_at: expiresAt?.toISOString() ?? null,
});
