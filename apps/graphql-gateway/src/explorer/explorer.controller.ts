// GET /explorer: GraphiQL with a field for the key and examples. Nothing is loaded from other hosts.
import { readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyReply } from 'fastify';
import { AppConfig } from '../app.config.js';
import { examples } from './examples.js';

// Name in the address -> file and content type.
const assets: Readonly<Record<string, { file: string; type: string }>> = {
  'explorer-page.js': { file: 'explorer-page.js', type: 'text/javascript' },
  'explorer-page.css': { file: 'explorer-page.css', type: 'text/css' },
  'graphiql.min.js': { file: 'graphiql.min.js.gz', type: 'text/javascript' },
  'graphiql.min.css': { file: 'graphiql.min.css.gz', type: 'text/css' },
  'react.production.min.js': { file: 'react.production.min.js.gz', type: 'text/javascript' },
  'react-dom.production.min.js': { file: 'react-dom.production.min.js.gz', type: 'text/javascript' },
};

// GraphiQL's editor writes style elements and its style sheet holds fonts.
const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

@ApiExcludeController()
@Controller('explorer')
export class ExplorerController {
  constructor(private readonly config: AppConfig) {}

  @Get()
  page(@Res() reply: FastifyReply): void {
    this.assertEnabled();
    void reply
      .headers({
        'content-security-policy': contentPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .type('text/html; charset=utf-8')
      .send(read('explorer-page.html'));
  }

  @Get('examples.json')
  examples(@Res() reply: FastifyReply): void {
    this.assertEnabled();
    void reply.send(examples);
  }

  @Get(':name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    this.assertEnabled();
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!asset) throw notFound();
    if (asset.file.endsWith('.gz')) void reply.header('content-encoding', 'gzip');
    void reply
      .headers({ 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
      .type(`${asset.type}; charset=utf-8`)
      .send(read(asset.file));
  }

  private assertEnabled(): void {
    if (!this.config.EXPLORER) throw notFound();
  }
}

/** Read for each request: the page is rarely opened, and half a megabyte need not stay in memory. */
function read(file: string): Buffer {
  return readFileSync(new URL(`assets/${file}`, import.meta.url));
}

function notFound(): ServiceError {
  return new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such page' });
}
