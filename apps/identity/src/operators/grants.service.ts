import { Injectable } from '@nestjs/common';
import { pageOf, positionAfter, toCursor, timeAndText, type ChangeAuthor } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AuditLog } from '../audit/audit-log.js';
import { accountClientId } from '../oidc/account-client.js';
import { PayloadsStore } from '../oidc/payloads/payloads.store.js';
import { UserPayloadsStore, type GrantFilter, type GrantOfList } from '../oidc/payloads/user-payloads.store.js';

/** What users allowed clients to do. The account pages, which are a client of their own, are left out. */
@Injectable()
export class Grants {
  constructor(
    private readonly payloads: PayloadsStore,
    private readonly userPayloads: UserPayloadsStore,
    private readonly audit: AuditLog,
  ) {}

  /** Those that last longest first. */
  async page(
    filter: GrantFilter,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ page: GrantOfList[]; next_cursor: string | null }> {
    const after = positionAfter(cursor, filter, timeAndText);
    const rows = await this.userPayloads.listGrants(filter, { without: accountClientId, after, limit: limit + 1 });
    return pageOf(rows, limit, ({ micros, id }) => toCursor([micros, id], filter));
  }

  /**
   * Ends a grant with its codes and tokens; the session of the user stays.
   * @param companyId that of the user, for a caller who belongs to one
   * @throws ServiceError 404
   */
  async end(id: string, companyId: string | undefined, author: ChangeAuthor): Promise<void> {
    const isEnded = await this.audit.recordChange(async (tx) => {
      const grant = await this.userPayloads.lockGrant(tx, { id, without: accountClientId, companyId });
      if (!grant) return undefined;
      const ended = await this.payloads.revokeGrant(tx, id);
      return { event: 'grant.ended', ...grant, ip: author.ip ?? undefined, details: { by: author.by, ended } };
    });
    if (!isEnded) {
      throw new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such grant' });
    }
  }
}
