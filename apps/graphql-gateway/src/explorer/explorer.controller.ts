// GET /explorer: GraphiQL with a field for the key and examples. Nothing is loaded from other hosts. The schema comes
// with the page, so that it opens without a request to the API.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { ApiExcludeController } from '@nestjs/swagger';
import { pageColours, pageHeaders } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyReply } from 'fastify';
import { introspectionFromSchema } from 'graphql';
import { AppConfig } from '../app.config.js';
import { dataLimit, requestLimit } from '../rate-limit/limits.js';
import { examples } from './examples.js';
import { explorerPage } from './explorer-page.js';

// Name in the address -> file and content type.
const assets: Readonly<Record<string, { file: string; type: string }>> = {
  'explorer-page.js': { file: 'explorer-page.js', type: 'text/javascript' },
  'explorer-page.css': { file: 'explorer-page.css', type: 'text/css' },
  'graphiql.min.js': { file: 'graphiql.min.js.gz', type: 'text/javascript' },
  'graphiql.min.css': { file: 'graphiql.min.css.gz', type: 'text/css' },
  'react.production.min.js': { file: 'react.production.min.js.gz', type: 'text/javascript' },
  'react-dom.production.min.js': { file: 'react-dom.production.min.js.gz', type: 'text/javascript' },
};

/**
 * Scripts and styles of this answer alone. GraphiQL's dialogs write a style element, which takes the nonce. Its style
 * sheet has pictures inside. Its fonts are not used. Forms are sent by the script.
 */
const contentPolicy = (nonce: string) =>
  [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src data:`,
    `connect-src 'self'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ].join('; ');

@ApiExcludeController()
@Controller('explorer')
export class ExplorerController {
  constructor(
    private readonly config: AppConfig,
    private readonly api: GraphQLSchemaHost,
  ) {}

  @Get()
  page(@Res() reply: FastifyReply): void {
    this.assertEnabled();
    const nonce = randomBytes(16).toString('base64url');
    const { config } = this;
    void reply
      .headers({ ...pageHeaders, 'content-security-policy': contentPolicy(nonce), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(explorerPage({ nonce, dataCallsPerDay: dataLimit(config), requestsPerMinute: requestLimit(config) }));
  }

  @Get('examples.json')
  examples(@Res() reply: FastifyReply): void {
    this.assertEnabled();
    void reply.send(examples);
  }

  /** What GraphiQL would ask the API for. The schema is no secret: it is part of the repository. */
  @Get('schema.json')
  schema(@Res() reply: FastifyReply): void {
    this.assertEnabled();
    void reply.send(introspectionFromSchema(this.api.schema));
  }

  @Get(':name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    this.assertEnabled();
    const found = assetOf(name);
    if (!found) throw notFound();
    const { content, type, isCompressed } = found;
    if (isCompressed) void reply.header('content-encoding', 'gzip');
    void reply
      .headers({ 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
      .type(`${type}; charset=utf-8`)
      .send(content);
  }

  private assertEnabled(): void {
    if (!this.config.EXPLORER) throw notFound();
  }
}

/** Files are read for each request: the page is rarely opened, and half a megabyte need not stay in memory. */
function assetOf(name: string): { content: string | Buffer; type: string; isCompressed: boolean } | undefined {
  if (name === 'colours.css') return { content: pageColours, type: 'text/css', isCompressed: false };
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (!asset) return undefined;
  const content = readFileSync(new URL(`assets/${asset.file}`, import.meta.url));
  return { content, type: asset.type, isCompressed: asset.file.endsWith('.gz') };
}

function notFound(): ServiceError {
  return new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such page' });
}
