import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Administrators, Author, positionAfter, toCursor, type ChangeAuthor } from '@tradewind/service-kit';
import { costOfProfiles } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { DeadLetterRedrive } from '../batches/dead-letter-redrive.js';
import { DeadLettersService, isDeadLetterId, notFound } from '../dead-letters/dead-letters.service.js';
import type { DeadLetter } from '../dead-letters/dead-letter.entity.js';
import {
  deadLetterDetailsDto,
  DeadLetterDetailsDto,
  deadLetterDto,
  DeadLetterDto,
  DeadLetterListQueryDto,
  DeadLetterPageDto,
  DeadLetterPathDto,
  DropDto,
  RedriveAnswerDto,
  RedriveDto,
} from './admin-dead-letters.dto.js';

const noLetter = { status: 404, description: 'There is no such dead letter' };
const wasHandled = { status: 409, description: 'It was redriven or dropped before' };

/** As the commands `dead-letter ...`. */
@ApiTags('dead letters')
@ApiBearerAuth()
@Administrators()
@Controller('admin/dead-letters')
export class AdminDeadLettersController {
  constructor(
    private readonly letters: DeadLettersService,
    private readonly redrives: DeadLetterRedrive,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Messages that could not be used, latest first' })
  @ApiOkResponse({ type: DeadLetterPageDto })
  async list(
    @Query() { with_handled: withHandled, limit, cursor }: DeadLetterListQueryDto,
  ): Promise<DeadLetterPageDto> {
    const after = positionAfter(cursor, withHandled, ([id, ...rest]) =>
      typeof id === 'string' && isDeadLetterId(id) && rest.length === 0 ? id : undefined,
    );
    const { letters, hasMore } = await this.letters.list({ limit, withHandled, after });
    const last = letters.at(-1);
    return {
      dead_letters: letters.map(deadLetterDto),
      next_cursor: hasMore && last ? toCursor([last.id], withHandled) : null,
    };
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One dead letter, its content decoded' })
  @ApiOkResponse({ type: DeadLetterDetailsDto })
  @ApiResponse(noLetter)
  async get(@Param() { id }: DeadLetterPathDto): Promise<DeadLetterDetailsDto> {
    return deadLetterDetailsDto(await this.find(id));
  }

  @Post(':id/redrive')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Receive a dead letter again, as it is or corrected, or say what that would start',
    description:
      'What still cannot be used is refused with 400, and stays open. While the provider is down, none starts at once.',
  })
  @ApiOkResponse({ type: RedriveAnswerDto })
  @ApiResponse(noLetter)
  @ApiResponse(wasHandled)
  async redrive(
    @Param() { id }: DeadLetterPathDto,
    @Body() { dry_run: isDryRun, ...corrections }: RedriveDto,
    @Author() { by }: ChangeAuthor,
  ): Promise<RedriveAnswerDto> {
    const redrive = { ...corrections, by };
    const done = isDryRun
      ? { ...(await this.redrives.plan(id, redrive)), started: 0 }
      : await this.redrives.redrive(id, redrive);
    return {
      ...{ ...deadLetterDto(await this.find(id)), dry_run: isDryRun, month: done.month },
      ...{ profiles: done.profiles, profiles_new: done.profilesNew, profiles_triggered: done.started },
      expected_cost_usd: costOfProfiles(done.profilesNew, this.config.PROFILE_COST_USD),
    };
  }

  @Post(':id/drop')
  @HttpCode(200)
  @ApiOperation({ summary: 'Put a dead letter aside for good, with the reason' })
  @ApiOkResponse({ type: DeadLetterDto })
  @ApiResponse(noLetter)
  @ApiResponse(wasHandled)
  async drop(
    @Param() { id }: DeadLetterPathDto,
    @Body() { reason }: DropDto,
    @Author() { by }: ChangeAuthor,
  ): Promise<DeadLetterDto> {
    await this.letters.drop(id, { reason, by });
    return deadLetterDto(await this.find(id));
  }

  private async find(id: string): Promise<DeadLetter> {
    const letter = await this.letters.find(id);
    if (!letter) throw notFound();
    return letter;
  }
}
