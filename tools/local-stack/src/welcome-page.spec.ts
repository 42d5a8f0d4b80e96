import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';
import { welcomePage } from './welcome-page.js';

describe('the page that npm start prints', () => {
  it('names the limits, and how to explore with larger ones', () => {
    const page = welcomePage(readSettings({}, '/checkout'));
    expect(page).toContain('A page holds 1, a user has 10 data calls a day and 100 other requests a minute.');
    expect(page).toContain('npm start -- --explore (pages of 25, 10,000 data calls a day)');
  });

  it('names the larger limits while exploring, without that advice', () => {
    const page = welcomePage(readSettings({}, '/checkout', true));
    expect(page).toContain('A page holds 25, a user has 10,000 data calls a day');
    expect(page).not.toContain('--explore');
  });
});
