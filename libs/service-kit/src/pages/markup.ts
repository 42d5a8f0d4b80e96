// HTML in which every value is escaped unless it is markup. The tag is not called `html`: the formatter would change
// the text inside, and so the style sheet whose hash is in the Content-Security-Policy.
export class Markup {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Part = Markup | string | number | undefined | false | readonly Part[];

/** Template tag: values are escaped, `Markup` is inserted as it is, lists are joined, undefined and false are empty. */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, index) => text + textOf(parts[index - 1]) + literal));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map((one) => textOf(one as Part)).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
