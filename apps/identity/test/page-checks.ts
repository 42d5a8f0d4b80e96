import { expect } from '@jest/globals';
import { pageFaults } from '@tradewind/testkit';
import type { Page } from 'playwright-core';

/** Fails on every fault of the page that Chromium shows. */
export async function checkLayout(page: Page, width: number): Promise<void> {
  expect(await pageFaults(page, width)).toEqual([]);
}
