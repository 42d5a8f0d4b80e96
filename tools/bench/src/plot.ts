// The plot of a benchmark page, as SVG, from the table below the page's line `<!-- plot: ours, peer by what -->`. The
// line has the columns to draw, then the columns that name a row. `npm run gen` draws all of them, so that no plot
// differs from its table; `npm run bench` draws the one that it measured.

const width = 960;
const padding = 16;
const barWidthMax = 700;
const barHeight = 13;
const lineHeight = 17;
/** The first column is ours. */
const colours = ['#0b5c87', '#9aa9b5', '#c9a86a', '#cfd6db', '#7a5c8f', '#5f8f6b'];

interface Figure {
  value: number;
  text: string;
}

interface Row {
  label: string;
  /** In the order of the columns; undefined where the cell has no number. */
  figures: (Figure | undefined)[];
}

/**
 * @param page Markdown
 * @returns SVG; undefined when the page names no plot
 * @throws when the page names a column that the table does not have, or no row has the figures to compare
 */
export function plotOf(page: string): string | undefined {
  const [, named, labelled] = /^<!-- plot: (.+) by (.+) -->$/m.exec(page) ?? [];
  if (named === undefined || labelled === undefined) return undefined;
  const columns = named.split(', ');
  const [head = [], , ...body] = firstTable(page.slice(page.indexOf('<!-- plot: ')));
  const indexOf = (name: string) => {
    const index = head.indexOf(name);
    if (index < 0) throw new Error(`The table to plot has no column "${name}", but: ${head.join(', ')}`);
    return index;
  };
  const unit = head.indexOf('unit');
  const rows = body
    .map((cells): Row => ({
      label: labelled
        .split(', ')
        .map((name) => (cells[indexOf(name)] ?? '').replaceAll('`', ''))
        .join(', '),
      figures: columns.map((name) => figureOf(cells[indexOf(name)] ?? '', cells[unit] ?? '')),
    }))
    .filter(({ figures }) => figures.filter(Boolean).length >= Math.min(2, columns.length));
  if (rows.length === 0) throw new Error(`The table to plot has no row with figures of ${named}`);
  return draw(columns, rows);
}

function firstTable(text: string): string[][] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from, length < 0 ? undefined : from + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The first number of a cell, and how it is shown. */
function figureOf(cell: string, unit: string): Figure | undefined {
  const [digits] = /\d[\d,]*(\.\d+)?/.exec(cell) ?? [];
  if (digits === undefined) return undefined;
  return { value: Number(digits.replaceAll(',', '')), text: `${digits} ${unit}`.trim() };
}

/** Bars of one row are to scale with each other; those of a single column are to scale with all rows. */
function draw(columns: readonly string[], rows: readonly Row[]): string {
  const largest = (some: readonly Row[]) =>
    Math.max(...some.flatMap(({ figures }) => figures.map((figure) => figure?.value ?? 0)));
  let y = padding;
  const shapes: string[] = [];
  const text = (x: number, content: string, extra = '') =>
    shapes.push(`<text x="${x}" y="${y + 11}"${extra}>${escaped(content)}</text>`);
  const bar = (x: number, barWidth: number, colour: string) =>
    shapes.push(`<rect x="${x}" y="${y}" width="${barWidth}" height="${barHeight}" fill="${colour}"/>`);
  const colourOf = (index: number) => colours[index % colours.length]!;
  if (columns.length > 1) {
    let x = padding;
    for (const [index, name] of columns.entries()) {
      bar(x, barHeight, colourOf(index));
      text(x + barHeight + 6, name);
      x += barHeight + 30 + name.length * 7;
    }
    y += lineHeight + 8;
  }
  for (const row of rows) {
    text(padding, row.label, ' font-weight="600"');
    y += lineHeight;
    const scale = barWidthMax / (largest(columns.length > 1 ? [row] : rows) || 1);
    for (const [index, figure] of row.figures.entries()) {
      if (!figure) continue;
      const barWidth = Math.max(1, Math.round(figure.value * scale));
      bar(padding, barWidth, colourOf(index));
      text(padding + barWidth + 6, figure.text);
      y += lineHeight;
    }
    y += 6;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + padding}" width="${width}" font-family="sans-serif" font-size="12" fill="#1d2b36">`,
    `<rect width="${width}" height="${y + padding}" fill="#ffffff"/>`,
    ...shapes,
    '</svg>\n',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
