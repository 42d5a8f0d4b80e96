import { Body, Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Administrators, Author, type ChangeAuthor } from '@tradewind/service-kit';
import { SigningKeys } from '../signing-keys/signing-keys.service.js';
import { RotateSigningKeyDto, signingKeyDto, SigningKeysDto } from './admin-signing-keys.dto.js';

/** As the commands `key ...`. */
@ApiTags('signing keys')
@ApiBearerAuth()
@Administrators()
@Controller('admin/signing-keys')
export class AdminSigningKeysController {
  constructor(private readonly signingKeys: SigningKeys) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'The keys that are published' })
  @ApiOkResponse({ type: SigningKeysDto })
  async list(): Promise<SigningKeysDto> {
    return { signing_keys: (await this.signingKeys.list()).map(signingKeyDto) };
  }

  @Post('rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Let the next key sign; replicas follow within SIGNING_KEY_POLL_SECONDS' })
  @ApiOkResponse({ type: SigningKeysDto })
  @ApiResponse({ status: 409, description: 'The next key was published just now, and nothing was forced' })
  async rotate(@Body() { force }: RotateSigningKeyDto, @Author() author: ChangeAuthor): Promise<SigningKeysDto> {
    await this.signingKeys.rotate({ force, author });
    return this.list();
  }
}
