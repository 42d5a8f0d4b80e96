import { describe, expect, it } from '@jest/globals';
import { plotOf } from './plot.js';

const page = `# A page

<!-- plot: ours, peer by what -->

| what | ours | peer | unit |
|---|---|---|---|
| \`a\` & b | 2,000; 0.3 | 1000 | 1/s |
| alone | 7 | | MiB |

| another | table |
`;
const widths = (svg: string | undefined) =>
  [...svg!.matchAll(/<rect x="16" .*?width="(\d+)"/g)].map(([, each]) => each);

describe('the plot of a page', () => {
  it('has a bar for each figure of a row, to scale, with its unit', () => {
    const svg = plotOf(page);
    // The first is the key.
    expect(widths(svg)).toEqual(['13', '700', '350']);
    expect(svg).toContain('>2,000 1/s<');
    expect(svg).toContain('>a &amp; b<');
  });

  it('leaves out a row that has nothing to compare', () => {
    expect(plotOf(page)).not.toContain('alone');
  });

  it('of one column compares the rows', () => {
    expect(widths(plotOf(page.replace('ours, peer', 'ours')))).toEqual(['700', '2']);
  });

  it('is refused when a column is missing, and is not drawn when the page names none', () => {
    expect(() => plotOf(page.replace('ours, peer by', 'ours, limit by'))).toThrow(
      'The table to plot has no column "limit", but: what, ours, peer, unit',
    );
    expect(plotOf('# A page')).toBeUndefined();
  });
});
