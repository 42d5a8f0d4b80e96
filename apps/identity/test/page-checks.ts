/// <reference lib="dom" />
// What every page must be in Chromium: readable, operable, and without a fault that axe-core finds.
import { expect } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

let pictures = 0;

/** No fault that axe-core finds, contrast and target sizes of WCAG 2.2, and nothing wider than the window. */
export async function checkLayout(page: Page, width: number): Promise<void> {
  const found = await page.evaluate(() => {
    const parse = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([red = 0, green = 0, blue = 0]: number[]) => {
      const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element: Element | null): number[] => {
      for (let one = element; one; one = one.parentElement) {
        const colour = parse(getComputedStyle(one).backgroundColor);
        if (colour.length === 3 || (colour[3] ?? 0) > 0.99) return colour;
      }
      return [255, 255, 255];
    };
    const contrasts = [...document.querySelectorAll('body *')]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
      .filter((element) => !['STYLE', 'TITLE'].includes(element.tagName))
      .map((element) => {
        const [one, other] = [luminance(parse(getComputedStyle(element).color)), luminance(ground(element))];
        return {
          text: element.textContent?.trim().slice(0, 40),
          ratio: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05),
        };
      });
    const targets = [...document.querySelectorAll('button:not([hidden]), input:not([type=hidden])')].map(
      (element) => element.getBoundingClientRect().height,
    );
    const unlabelled = [...document.querySelectorAll('input:not([type=hidden])')].filter(
      (input) => !(input as HTMLInputElement).labels?.length,
    ).length;
    return {
      contrasts,
      targets,
      unlabelled,
      width: document.documentElement.scrollWidth,
      headings: document.querySelectorAll('h1').length,
    };
  });
  expect(found.contrasts.length).toBeGreaterThan(2);
  expect(found.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  expect(found.targets.filter((height) => height < 44)).toEqual([]);
  expect(found).toMatchObject({ unlabelled: 0, headings: 1 });
  expect(found.width).toBeLessThanOrEqual(width);
  await checkAccessibility(page);
}

async function checkAccessibility(page: Page): Promise<void> {
  // TEST_PICTURES=/some/folder keeps a picture of each page. Without a GPU, Chromium sometimes fails to take one.
  const folder = process.env['TEST_PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/${(pictures += 1)}.png` }).catch(() => undefined);
  // Where the test turned scripts off, those of axe-core would never end.
  if (!(await page.evaluate(() => matchMedia('(scripting: enabled)').matches))) return;
  // The policy of the page forbids scripts; Chromium runs this one for the test all the same.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const found = await checker.run(document, { resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
  });
  expect(violations).toEqual([]);
}
