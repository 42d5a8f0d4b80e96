// What every page must be in Chromium: readable, operable, and without a fault that axe-core finds.
import type { Page } from 'playwright-core';

/**
 * The part of the DOM that is measured. The whole of its types would change `fetch` in every test that uses this
 * library.
 */
interface PageElement {
  readonly parentElement: PageElement | null;
  readonly childNodes: Iterable<{ nodeType: number; textContent: string | null }>;
  readonly tagName: string;
  readonly textContent: string | null;
  /** Of fields. */
  readonly labels?: { length: number } | null;
  getBoundingClientRect(): { height: number };
}
declare const document: {
  documentElement: { scrollWidth: number };
  getAnimations(): {
    playState: string;
    effect: { getComputedTiming(): { endTime?: unknown } } | null;
  }[];
  querySelectorAll(selectors: string): Iterable<PageElement> & { length: number };
};
declare function getComputedStyle(element: PageElement): { color: string; backgroundColor: string };
declare function requestAnimationFrame(callback: (time: unknown) => void): void;
declare function matchMedia(query: string): { matches: boolean };

/** WCAG 2.2 AA. */
const contrastMin = 4.5;
/** Of buttons and fields, in CSS pixels: what a finger hits. */
const targetHeightMin = 44;

let pictures = 0;

/**
 * Every fault of a page in a window of this width: text without contrast, small targets, fields without a label,
 * more than one main heading, anything wider than the window, and what axe-core finds.
 * TEST_PICTURES=/some/folder keeps a picture of each page.
 */
export async function pageFaults(page: Page, width: number): Promise<string[]> {
  if (await hasScripts(page)) await untilStill(page);
  const found = await page.evaluate(measure);
  const faults = [
    ...found.contrasts
      .filter(({ ratio }) => ratio < contrastMin)
      .map(({ text, ratio }) => `contrast ${ratio}: ${text}`),
    ...found.heights.filter((height) => height < targetHeightMin).map((height) => `a target is ${height} px high`),
  ];
  if (found.contrasts.length < 3) faults.push('the page has hardly any text');
  if (found.unlabelled > 0) faults.push(`${found.unlabelled} fields have no label`);
  if (found.headings !== 1) faults.push(`${found.headings} main headings`);
  if (found.width > width) faults.push(`the page is ${found.width} px wide, the window ${width}`);
  return [...faults, ...(await axeFaults(page))];
}

/** A window that a page is looked at in. */
export interface Look {
  /** CSS pixels. */
  width: number;
  colorScheme: 'light' | 'dark';
}

/**
 * What axe-core finds in any of these windows, and where the page is wider than its window. In a second colour scheme
 * of a width only the rules that read colours are asked, since the page is the same for all others.
 */
export async function faultsInLooks(page: Page, looks: readonly Look[]): Promise<string[]> {
  const faults: string[] = [];
  const widths = new Set<number>();
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const found = await axeFaults(page, widths.has(width) ? colourRules : undefined);
    widths.add(width);
    faults.push(...[...found, ...(await tooWide(page, width))].map((fault) => `${width} px, ${colorScheme}: ${fault}`));
  }
  return faults;
}

/** Whether the page is wider than a window of this width, in CSS pixels. Empty where it is not. */
export async function faultsInWidth(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 800 });
  return (await tooWide(page, width)).map((fault) => `${width} px: ${fault}`);
}

async function tooWide(page: Page, width: number): Promise<string[]> {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  return wide > width ? [`the page is ${wide} px wide`] : [];
}

const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * What axe-core finds once nothing moves any more, with the markup of each place.
 * @param rules all that are on by default unless given
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  const canRun = await hasScripts(page);
  if (canRun) await untilStill(page);
  const folder = process.env['TEST_PICTURES'];
  // Without a GPU, Chromium sometimes fails to take one.
  if (folder) await page.screenshot({ path: `${folder}/${(pictures += 1)}.png` }).catch(() => undefined);
  if (!canRun) return [];
  const { default: axe } = await import('axe-core');
  // The policy of the page forbids scripts; Chromium runs this one for the test all the same.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(
    async (only) => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe };
      const { violations } = await checker.run({ resultTypes: ['violations'], ...(only && { runOnly: [...only] }) });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    rules as string[] | undefined,
  );
}

/** Where a test turned scripts off, those of axe-core would never end, and no frame is announced. */
function hasScripts(page: Page): Promise<boolean> {
  return page.evaluate(() => matchMedia('(scripting: enabled)').matches);
}

/** A colour begins to change in the frame after its cause. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getComputedTiming().endTime === Infinity),
  );
}

/** Runs in the page. */
function measure() {
  const parse = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red = 0, green = 0, blue = 0]: number[]) => {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element: PageElement | null): number[] => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || (colour[3] ?? 0) > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const contrasts = [...document.querySelectorAll('body *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
    .filter((element) => !['STYLE', 'TITLE', 'SCRIPT'].includes(element.tagName))
    .map((element) => {
      const [one, other] = [luminance(parse(getComputedStyle(element).color)), luminance(ground(element))];
      return {
        text: element.textContent?.trim().slice(0, 40),
        ratio: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05),
      };
    });
  const heights = [...document.querySelectorAll('button:not([hidden]), input:not([type=hidden])')].map(
    (element) => element.getBoundingClientRect().height,
  );
  const unlabelled = [...document.querySelectorAll('input:not([type=hidden])')].filter(
    (input) => !input.labels?.length,
  ).length;
  return {
    contrasts,
    heights,
    unlabelled,
    width: document.documentElement.scrollWidth,
    headings: document.querySelectorAll('h1').length,
  };
}
