import { Controller, Get, Header } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Administrators } from '@tradewind/service-kit';
import { DeadLettersService } from '../dead-letters/dead-letters.service.js';
import { MonthsService } from '../months/months.service.js';

class AttentionDto {
  @ApiProperty({ type: 'integer', example: 2, description: 'Dead letters that nobody has redriven or dropped' })
  open_dead_letters!: number;

  @ApiProperty({
    type: 'integer',
    example: 5,
    description: 'Profiles of all months that were started, count as lost, and were not started again',
  })
  lost_profiles!: number;
}

/** What somebody has to look at; small enough to be asked every few seconds. */
@ApiTags('attention')
@ApiBearerAuth()
@Administrators()
@Controller('admin/attention')
export class AdminAttentionController {
  constructor(
    private readonly letters: DeadLettersService,
    private readonly months: MonthsService,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'How many dead letters are open, and how many profiles are lost' })
  @ApiOkResponse({ type: AttentionDto })
  async get(): Promise<AttentionDto> {
    const [open, lost] = await Promise.all([this.letters.countOpen(), this.months.countLost()]);
    return { open_dead_letters: open, lost_profiles: lost };
  }
}
