// What a person calls a browser, from its `User-Agent`. Browsers change that text less and less, so a short list is
// enough. It helps a person to recognise a device, and nothing depends on it.

/** The first that fits: most browsers also name the ones that they resemble. */
const browsers: [RegExp, string][] = [
  [/\b(?:Edg|EdgA|EdgiOS)\/\d/, 'Edge'],
  [/\bOPR\/\d/, 'Opera'],
  [/\bSamsungBrowser\/\d/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/\d/, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\/\d/, 'Chrome'],
  [/\bVersion\/\d\S* (?:Mobile\/\w+ )?Safari\/\d/, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox, Windows`; undefined for a program, or a browser that is not known. */
export function browserName(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined) return undefined;
  const nameOf = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = nameOf(browsers);
  const system = nameOf(systems);
  return browser && (system === undefined ? browser : `${browser}, ${system}`);
}
