// Sends the mails with links in the background, so that a mail server that is slow or away delays no request. A mail
// that fails is repeated for some hours with a new link. Somebody may receive a mail twice; both links are good.
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, Logger } from '@tradewind/service-kit';
import { backoffMs } from '@tradewind/shared-types';
import { createTransport, type Transporter } from 'nodemailer';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { AppEvents } from '../events.js';
import { messagesFor } from '../pages/page-messages.js';
import { UsersStore } from '../users/users.store.js';
import { AccountLinks } from './account-links.service.js';
import { AccountLinksStore, type AccountMail } from './account-links.store.js';

/** Milliseconds for each step of the conversation with the mail server. */
const timeoutMs = 10_000;
const parallel = 5;
/** Longer than a mail takes when every step of it is slow. */
const leaseSeconds = 120;
/** Pause between two looks for mails that are due, milliseconds; the person waits at the screen. */
const intervalMs = 2_000;
/** Some four hours in all. Whoever still needs the mail asks again. */
const attemptsMax = 10;
const backoff = { backoffMsMin: 10_000, backoffMsMax: 3_600_000 };

@Injectable()
export class MailDelivery {
  private readonly transport: Transporter | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly db: Db,
    private readonly store: AccountLinksStore,
    private readonly links: AccountLinks,
    private readonly users: UsersStore,
    private readonly audit: AuditLog,
    private readonly events: AppEvents,
    private readonly logger: Logger,
    background: BackgroundWork,
  ) {
    const { SMTP_URL: url, ENVIRONMENT } = config;
    if (url === undefined) return;
    const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
    // Nothing that is part of a mail may name a file or an address to read.
    // With smtp: the conversation begins in plain text; outside dev it must change to TLS.
    const encryption = { requireTLS: ENVIRONMENT !== 'dev' };
    const limits = { disableFileAccess: true, disableUrlAccess: true };
    this.transport = createTransport({ url, ...timeouts, ...limits, ...encryption });
    background.claims({
      name: 'mails',
      intervalMs,
      parallel,
      claim: (room) => this.store.claimMails(room, leaseSeconds),
      work: (mail) => this.deliver(mail),
    });
  }

  private async deliver(mail: AccountMail): Promise<void> {
    const { id, kind, emailKey, attempts } = mail;
    const user = await this.users.findByEmailKey(emailKey);
    // Nobody has this address, or nothing is left to do.
    if (!user || user.isDisabled || (kind === 'email' && user.emailVerified)) return this.store.removeMail(id);
    const link = await this.db.transaction((tx) => this.links.make(tx, user, kind, true));
    const failure = await this.send(user.email, mail, link).catch((error: unknown) => error);
    if (failure === undefined) {
      // Who asked for it is in an event of its own, or is somebody who has not signed in.
      const details = { by: null, mail: kind };
      await this.audit.recordChange(async () => ({ event: 'mail.sent', userId: user.id, details }));
      this.events.emit('mail', { outcome: 'sent', mail: kind });
      return this.store.removeMail(id);
    }
    const isLast = attempts >= attemptsMax || isPermanent(failure);
    this.events.emit('mail', { outcome: isLast ? 'given_up' : 'failed', mail: kind });
    // The answer of a mail server may name the address.
    const { code, responseCode } = failure as { code?: string; responseCode?: number };
    this.logger.warn({ code, responseCode, userId: user.id, attempts }, 'a mail could not be sent');
    if (isLast) return this.store.removeMail(id);
    return this.store.repeatMail(id, backoffMs(attempts, backoff) / 1000);
  }

  private async send(address: string, { kind, language }: AccountMail, link: string): Promise<undefined> {
    const { subject, text } = messagesFor(language, undefined).links.mails[kind];
    await this.transport!.sendMail({
      from: this.config.MAIL_FROM,
      // As one address: a text would be read as a list.
      to: { name: '', address },
      subject,
      text: `${text}\n\n${link}\n\n${messagesFor(language, undefined).links.mailEnd}\n`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }
}

/** The mail server takes no mail for this address: to repeat it would not help. */
const isPermanent = (failure: unknown): boolean => {
  const { code, responseCode } = failure as { code?: unknown; responseCode?: unknown };
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 500;
};
