import type { RunRule } from './rule.types.js';

/** Otherwise every later form of the account pages would end at a redirect, and the run would prove little. */
export const browsersStaySignedIn: RunRule = {
  name: 'browsers stay signed in',
  begin: ({ target: { browsers, urls } }) =>
    Promise.resolve(async () => {
      if (browsers === undefined || urls.identity === undefined) return [];
      const pages = [
        ['/account', browsers.account.cookie],
        [`/login/${browsers.login.uid}`, browsers.login.cookie],
      ] as const;
      const findings: string[] = [];
      for (const [path, cookie] of pages) {
        const { status } = await fetch(urls.identity + path, { headers: { cookie }, redirect: 'manual' });
        if (status !== 200) findings.push(`${path} answers ${status}`);
      }
      return findings;
    }),
};
