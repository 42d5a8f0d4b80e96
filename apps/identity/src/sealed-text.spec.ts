import { describe, expect, it } from '@jest/globals';
import { SealedText } from './sealed-text.js';

describe('SealedText', () => {
  it('opens what it sealed, and never gives the same result twice', () => {
    const sealed = new SealedText(['key']);
    const [one, other] = [sealed.seal('sëcret', 'a'), sealed.seal('sëcret', 'a')];
    expect(one).not.toBe(other);
    expect(sealed.open(one, 'a')).toBe('sëcret');
    expect(one).not.toContain('sëcret');
  });

  it('opens with any key, and seals with the first', () => {
    const old = new SealedText(['old']).seal('x', 'a');
    const both = new SealedText(['new', 'old']);
    expect(both.open(old, 'a')).toBe('x');
    expect(() => new SealedText(['old']).open(both.seal('x', 'a'), 'a')).toThrow('no storage key opens a');
  });

  it('refuses a value of another row, a changed value and anything else', () => {
    const sealed = new SealedText(['key']);
    const value = sealed.seal('x', 'row 1');
    expect(() => sealed.open(value, 'row 2')).toThrow();
    const [version, nonce, text, tag] = value.split('.');
    expect(() => sealed.open([version, nonce, `${text}AA`, tag].join('.'), 'row 1')).toThrow();
    expect(() => sealed.open('plain', 'row 1')).toThrow('not a sealed value');
    expect(() => new SealedText([])).toThrow();
  });
});
