import { Controller, Get, Header, Query } from '@nestjs/common';
import { ServiceCallers } from '@tradewind/service-kit';
import { ServiceError, type CredentialChangesPage } from '@tradewind/shared-types';
import { CredentialChangesStore } from './credential-changes.store.js';

/** Changes in one answer. */
const pageSize = 500;

/** For the services that keep credentials of users, with a service token. */
@ServiceCallers()
@Controller('internal/credential-changes')
export class CredentialChangesController {
  constructor(private readonly store: CredentialChangesStore) {}

  /**
   * Not a DTO class: validation would refuse parameters that are not declared, and a service of a newer release may
   * send one.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@Query('after') after: unknown = '0'): Promise<CredentialChangesPage> {
    if (typeof after !== 'string' || !/^\d{1,18}$/.test(after)) {
      const message = ['after must be the cursor of the page before, or 0'];
      throw new ServiceError({ code: 'request.invalid', status: 400, message });
    }
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
