// A small service on the kit, as the tests of the kit see it from outside.
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  Query,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { MayBeAbsent, ServiceError } from '@tradewind/shared-types';
import { Type } from 'class-transformer';
import { ArrayMinSize, IsArray, IsIn, IsInt, IsString, ValidateNested } from 'class-validator';
import {
  configClass,
  defineService,
  fetchJson,
  integer,
  Logger,
  openApiSettings,
  OperatorError,
  secret,
  traceAttributes,
  withSpan,
  withTraceFrom,
} from '../src/index.js';

export class ExampleConfig extends configClass({
  GREETING_COUNT: integer({ default: 1, min: 1, desc: 'Greetings per answer' }),
  ...openApiSettings,
  EXAMPLE_SECRET: secret({ devDefault: 'dev-only-example', desc: 'A secret' }),
}) {}

class Target {
  @IsIn(['POST', 'PROFILE'])
  entity!: string;

  @IsInt()
  count!: number;
}

class TargetsRequest {
  @IsArray()
  @ArrayMinSize(1)
  @ValidateNested({ each: true })
  @Type(() => Target)
  targets!: Target[];

  @IsString({ each: true })
  tags: string[] = [];
}

class OptionalRequest {
  @MayBeAbsent()
  @IsString()
  since?: string;
}

@Controller()
class ExampleController implements BeforeApplicationShutdown {
  private buffers: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: ExampleConfig,
    private readonly logger: Logger,
  ) {}

  @Get('greeting')
  greeting() {
    this.logger.info({ password: 'hunter2' }, 'greeting with Bearer abcdefghijklmnop');
    return { greetings: this.config.GREETING_COUNT };
  }

  @Get('items/:id')
  item(@Param('id') id: string) {
    return { id };
  }

  @Post('targets')
  @HttpCode(200)
  targets(@Body() request: TargetsRequest) {
    return { accepted: request.targets.length };
  }

  @Post('optional')
  @HttpCode(200)
  optional(@Body() { since }: OptionalRequest) {
    return { since: since ?? null };
  }

  @Get('failure/:kind')
  failure(@Param('kind') kind: string) {
    if (kind === 'expected') {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 502,
        message: 'The provider does not answer',
        retryAfterSeconds: 7,
        cause: new Error('private cause'),
      });
    }
    throw new Error('select secret_column from hidden_table');
  }

  @Get('relay')
  async relay(@Query('url') url: string) {
    return (await fetchJson(url, { timeoutMs: 2000 })).body;
  }

  @Get('publish')
  async publish() {
    return withSpan('publish', async () => traceAttributes());
  }

  @Post('consume')
  @HttpCode(200)
  async consume(@Body() attributes: Record<string, string>) {
    return withTraceFrom(attributes, async () => ({ continued: traceAttributes()['traceparent'] ?? null }));
  }

  @Get('forgotten')
  forgotten() {
    void Promise.reject(new Error('nobody waits for this'));
    return {};
  }

  @Get('uncaught')
  uncaught() {
    setTimeout(() => {
      throw new Error('nobody catches this');
    }, 1);
    return {};
  }

  @Get('slow')
  async slow() {
    this.logger.info('slow request began');
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { done: true };
  }

  /** What the service writes at its stop takes a minute. */
  @Get('hold-buffers')
  holdBuffers() {
    this.buffers = new Promise((resolve) => setTimeout(resolve, 60_000));
    return {};
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.buffers;
    this.logger.info('buffers are written');
  }

  @Get('endless')
  async endless() {
    this.logger.info('endless request began');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
}

@Module({ controllers: [ExampleController] })
class ExampleModule {}

export const exampleService = defineService({
  name: 'example',
  config: ExampleConfig,
  module: ExampleModule,
  commands: (program, open) => {
    program
      .command('greet')
      .requiredOption('--name <name>')
      .action(async ({ name }: { name: string }) => {
        const app = await open();
        if (name === 'nobody') throw new OperatorError('nobody cannot be greeted');
        process.stdout.write(`Hello ${name}, ${app.get(ExampleConfig).GREETING_COUNT} time\n`);
      });
  },
});
