import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ServiceCallers } from '@tradewind/service-kit';
import type { AccessTokenCheck } from '@tradewind/shared-types';
import { IsString, MaxLength } from 'class-validator';
import { LiveAccessTokens } from './live-access-tokens.js';

/** Characters; a longer text is no token of ours. */
const tokenCharsMax = 8192;

class TokenCheckRequest {
  @IsString()
  @MaxLength(tokenCharsMax)
  token!: string;
}

/**
 * For the other services, with a service token: they ask whether a user's token is still good. Resource servers outside
 * the platform introspect tokens as clients. This also reports the version of the user's credentials.
 */
@ServiceCallers()
@Controller('internal/access-tokens')
export class TokenCheckController {
  constructor(private readonly tokens: LiveAccessTokens) {}

  @Post('check')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async check(@Body() { token }: TokenCheckRequest): Promise<AccessTokenCheck> {
    const found = await this.tokens.find(token);
    if (!found) return { active: false };
    const { id, email, companyId, credentialsVersion } = found.user;
    return {
      active: true,
      user_id: id,
      email,
      user_company_id: companyId,
      credentials_version: credentialsVersion,
    };
  }
}
