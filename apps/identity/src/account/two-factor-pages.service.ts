// The account pages of second factors. They ask for a recent sign-in, with a second factor if there is one. So a
// browser that was left alone, or a stolen session, changes nothing here.
import { Injectable } from '@nestjs/common';
import type { PageForm, SetUpForm } from '../login-pages/login-pages.dto.js';
import type { PageAnswer } from '../login-pages/page-answer.js';
import { byPasswordAnd } from '../oidc/policy/authentication.js';
import { browserName } from '../pages/browser-name.js';
import {
  addAppPage,
  addPasskeyPage,
  recoveryCodesPage,
  secondFactorDone,
  secondFactorPath,
  twoFactorPage,
  type SecondFactorDone,
  type ShownFactor,
} from '../pages/second-factor-pages.js';
import { SecondFactors, type Addition, type AppSetUp } from '../second-factor/second-factors.service.js';
import { doneOf, type FactorForm } from './account.dto.js';
import { addressOf, AccountVisits, type PageRequest, type Recency, type Visit } from './account-visits.js';

@Injectable()
export class TwoFactorPages {
  constructor(
    private readonly visits: AccountVisits,
    private readonly factors: SecondFactors,
  ) {}

  async overview(request: PageRequest, query: unknown): Promise<PageAnswer> {
    return this.visit(request, 'page', async (visit) => {
      const { messages, user } = visit;
      const { totpSince, passkeys, recoveryCodes } = await this.factors.of(user);
      const app: ShownFactor[] =
        totpSince === null ? [] : [{ name: messages.secondFactor.account.app, addedAt: totpSince }];
      const shown = passkeys.map(({ id, name, createdAt, usedAt }) => ({
        ...{ id, name, addedAt: createdAt, usedAt: usedAt ?? undefined },
      }));
      return this.visits.page(visit, (given) =>
        twoFactorPage(messages, {
          ...given,
          ...{ recoveryCodes, hasApp: totpSince !== null, factors: [...app, ...shown] },
          mayAddPasskey: this.factors.passkeysArePossible,
          done: doneOf(query, secondFactorDone),
        }),
      );
    });
  }

  async appForm(request: PageRequest): Promise<PageAnswer> {
    return this.visit(request, 'page', async (visit) => {
      const { totpSealed } = await this.factors.of(visit.user);
      return totpSealed === null ? this.appPage(visit, this.factors.newApp(visit.user)) : done('exists');
    });
  }

  async addApp(request: PageRequest, form: SetUpForm): Promise<PageAnswer> {
    return this.visit(request, 'form', async (visit) => {
      this.visits.assertForm(visit, form);
      const added = await this.factors.addApp(visit.user, form);
      const same = added.kind === 'wrong' ? this.factors.sameApp(visit.user, form.setUp) : undefined;
      if (!same) return this.answerTo(visit, added);
      return { ...this.appPage(visit, same, visit.messages.secondFactor.appPage.wrong), status: 400 };
    });
  }

  async passkeyForm(request: PageRequest): Promise<PageAnswer> {
    return this.visit(request, 'page', async (visit) => this.passkeyPage(visit));
  }

  async addPasskey(request: PageRequest, form: SetUpForm): Promise<PageAnswer> {
    return this.visit(request, 'form', async (visit) => {
      this.visits.assertForm(visit, form);
      const name = browserName(visit.request.headers['user-agent']) ?? visit.messages.account.sessions.program;
      const added = await this.factors.addPasskey(visit.user, { ...form, name });
      if (added.kind !== 'wrong') return this.answerTo(visit, added);
      return { ...(await this.passkeyPage(visit, visit.messages.secondFactor.passkeyPage.wrong)), status: 400 };
    });
  }

  async remove(request: PageRequest, form: FactorForm): Promise<PageAnswer> {
    return this.visit(request, 'form', async (visit) => {
      this.visits.assertForm(visit, form);
      return done(await this.factors.remove(visit.user, form.passkey === '' ? undefined : form.passkey));
    });
  }

  async renewCodes(request: PageRequest, form: PageForm): Promise<PageAnswer> {
    return this.visit(request, 'form', async (visit) => {
      this.visits.assertForm(visit, form);
      const codes = await this.factors.renewCodes(visit.user);
      return codes ? this.codesPage(visit, codes) : done('gone');
    });
  }

  private visit(
    request: PageRequest,
    recency: Recency,
    take: (visit: Visit) => Promise<PageAnswer>,
  ): Promise<PageAnswer> {
    return this.visits.visit(request, secondFactorPath, take, recency);
  }

  private async answerTo(visit: Visit, added: Addition): Promise<PageAnswer> {
    if (added.kind !== 'added') return done(added.kind === 'wrong' ? 'expired' : added.kind);
    // The session has proved it now.
    await Object.assign(visit.session, byPasswordAnd(added.means)).persist();
    return added.codes ? this.codesPage(visit, added.codes) : done('added');
  }

  private codesPage(visit: Visit, codes: string[]): PageAnswer {
    return this.visits.page(visit, () =>
      recoveryCodesPage(visit.messages, { codes, onward: addressOf(secondFactorPath) }),
    );
  }

  private appPage(visit: Visit, app: AppSetUp, problem?: string): PageAnswer {
    return this.visits.page(visit, (given) => addAppPage(visit.messages, { ...given, app, problem }));
  }

  private async passkeyPage(visit: Visit, problem?: string): Promise<PageAnswer> {
    const passkey = await this.factors.newPasskey(visit.user);
    const render = (given: { csrf: string }) => addPasskeyPage(visit.messages, { ...given, passkey, problem });
    return this.visits.page(visit, render, 'passkey');
  }
}

const done = (what: SecondFactorDone): PageAnswer => ({
  status: 303,
  location: `${addressOf(secondFactorPath)}?done=${what}`,
});
