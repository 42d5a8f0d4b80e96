import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Callers } from '@tradewind/service-kit';
import { ProfileStatusAnswer } from './profiles.dto.js';
import { ProfilesService } from './profiles.service.js';

@ApiTags('profiles')
@ApiBearerAuth()
@Callers()
@Controller('profiles')
export class ProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get(':username/status')
  @ApiParam({ name: 'username', example: 'ada-lovelace' })
  @ApiOperation({ summary: 'Shows how a profile was scraped last' })
  @ApiOkResponse({ type: ProfileStatusAnswer })
  @ApiNotFoundResponse({ description: 'Nothing is stored of this profile' })
  async status(@Param('username') username: string): Promise<ProfileStatusAnswer> {
    return this.profiles.getStatus(username);
  }
}
