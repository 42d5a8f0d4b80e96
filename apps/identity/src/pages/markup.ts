// HTML with everything escaped unless it is HTML already. The tag is not called `html`: the formatter would rearrange
// what is inside, and with it the style sheet whose hash the Content-Security-Policy names.
export class Markup {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Part = Markup | string | number | undefined | false | readonly Part[];

/** Template tag: values are escaped, `Markup` is taken as it is, lists are joined, undefined and false leave nothing. */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, index) => text + textOf(parts[index - 1]) + literal));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map((one) => textOf(one as Part)).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
