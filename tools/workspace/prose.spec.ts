import { describe, expect, it } from '@jest/globals';
import { avoidedWords, longComments, longLines, proseFaults } from './prose.mjs';

const long = 'word '.repeat(30);

describe('prose', () => {
  it('of every page and comment fits a screen and uses none of the words that we avoid', () => {
    expect(proseFaults()).toEqual([]);
  });

  it('may be long in tables, code and links, and nowhere else', () => {
    expect(longLines(`${long}\n| ${long}\n\`\`\`\n${long}\n\`\`\`\nhttps://${'x'.repeat(200)}`)).toEqual([long]);
    expect(longComments(`// ${long}\nconst a = '${long}';\n * ${long}`)).toHaveLength(2);
  });

  it('is searched for whole words, in any case', () => {
    expect(avoidedWords('No Doubt\nundoubted\nthe short way\nan understanding')).toEqual(['No Doubt', 'the short way']);
  });
});
