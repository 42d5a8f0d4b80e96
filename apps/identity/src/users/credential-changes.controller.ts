import { Controller, Get, Header, Query } from '@nestjs/common';
import { ServiceCallers } from '@tradewind/service-kit';
import type { CredentialChangesPage } from '@tradewind/shared-types';
import { CredentialChangesQuery } from './credential-changes.dto.js';
import { CredentialChangesStore } from './credential-changes.store.js';

/** Changes in one answer. */
const pageSize = 500;

/** For the services that keep credentials of users, with a service token. */
@ServiceCallers()
@Controller('internal/credential-changes')
export class CredentialChangesController {
  constructor(private readonly store: CredentialChangesStore) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@Query() { after }: CredentialChangesQuery): Promise<CredentialChangesPage> {
    const { changes, last } = await this.store.list(after, pageSize);
    return {
      changes: changes.map(({ userId, credentialsVersion, changedAt }) => ({
        user_id: userId,
        credentials_version: credentialsVersion,
        changed_at: changedAt.toISOString(),
      })),
      cursor: changes.at(-1)?.position ?? after,
      last,
    };
  }
}
