import { expect, it } from '@jest/globals';
import { correctionOf, formOf } from './correction.js';

const letter = { content: { profiles: [] }, attributes: { batch_number: '7', origin: 'test', total_batches: 9 } };
const before = formOf(letter);
const withContent = (content: string) => correctionOf({ ...before, content }, before);

it('sends only what was changed', () => {
  expect(before.attributes).toEqual({ batch_number: '7', total_batches: '', month: '' });
  expect(correctionOf(before, before)).toEqual({});
  const attributes = { ...before.attributes, total_batches: ' 9 ' };
  expect(correctionOf({ ...before, attributes }, before)).toEqual({ attributes: { total_batches: '9' } });
  expect(withContent('{"profiles": [1]}')).toEqual({ content: { profiles: [1] } });
});

it('says what is wrong with a text that the service would not take', () => {
  expect(withContent('{"profiles": [')).toEqual({ fault: expect.stringContaining('This is not JSON') });
  for (const text of ['[]', 'null', '"text"', '7'])
    expect(withContent(text)).toEqual({ fault: 'This must be an object: {"profiles": [...]}' });
});

it('shows a text that is no JSON as it is, to be corrected', () => {
  expect(formOf({ content: 'no JSON', attributes: null }).content).toBe('no JSON');
});
