import { Readable } from 'node:stream';
import { Controller, Get, Header, Query, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Administrators } from '@tradewind/service-kit';
import { AuditEvents } from '../operators/audit-events.service.js';
import type { AuditFilter } from '../audit/audit.store.js';
import {
  auditEventDto,
  auditFilter,
  AuditListQueryDto,
  AuditPageDto,
  AuditQueryDto,
  SignInDaysDto,
  SignInDaysQueryDto,
} from './admin-audit.dto.js';

/** As the command `audit list`. */
@ApiTags('audit')
@ApiBearerAuth()
@Administrators()
@Controller('admin/audit')
export class AdminAuditController {
  constructor(private readonly events: AuditEvents) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Who did what, newest first' })
  @ApiOkResponse({ type: AuditPageDto })
  async list(@Query() query: AuditListQueryDto): Promise<AuditPageDto> {
    const { page, next_cursor } = await this.events.page(auditFilter(query), query);
    return { events: page.map(auditEventDto), next_cursor };
  }

  @Get('sign-ins')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Sign-ins of the last days, by day' })
  @ApiOkResponse({ type: SignInDaysDto })
  async signIns(@Query() { days }: SignInDaysQueryDto): Promise<SignInDaysDto> {
    return { days: await this.events.countSignIns(days) };
  }

  /** Events are read as the caller takes them, so that an export of any size takes little memory. */
  @Get('export')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'All events of a filter, newest first, one JSON object a line' })
  @ApiOkResponse({
    description: 'Lines of `AuditEventDto`',
    content: {
      'application/x-ndjson': {
        schema: { type: 'string' },
        example: '{"id":"4711","at":"2026-11-24T10:00:00.123Z","event":"user.disabled","details":{"by":"operator"}}\n',
      },
    },
  })
  export(@Query() query: AuditQueryDto): StreamableFile {
    return new StreamableFile(Readable.from(this.lines(auditFilter(query)), { objectMode: false }), {
      type: 'application/x-ndjson',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }

  private async *lines(filter: AuditFilter): AsyncGenerator<string> {
    for await (const event of this.events.all(filter)) yield `${JSON.stringify(auditEventDto(event))}\n`;
  }
}
