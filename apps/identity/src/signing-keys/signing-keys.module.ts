import { Global, Module } from '@nestjs/common';
import { SignedTokens } from './signed-tokens.js';
import { SigningKeys } from './signing-keys.service.js';

@Global()
@Module({ providers: [SigningKeys, SignedTokens], exports: [SigningKeys, SignedTokens] })
export class SigningKeysModule {}
