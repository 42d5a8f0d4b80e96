import { describe, expect, it } from '@jest/globals';
import { serviceNames } from './services.js';
import { helpOf, startOptions } from './start-options.js';

describe('the options of npm start and npm run dev', () => {
  it('are none by default', () => {
    expect(startOptions([])).toEqual({ isExploring: false, reloading: [] });
    expect(startOptions(['--explore'])).toEqual({ isExploring: true, reloading: [] });
  });

  it('reload the services that are named, or all', () => {
    expect(startOptions(['--dev']).reloading).toEqual(serviceNames);
    expect(startOptions(['--dev', 'coordinator', '--explore'])).toEqual({
      isExploring: true,
      reloading: ['coordinator'],
    });
  });

  it('are explained by --help, with examples', () => {
    expect(helpOf(['--help'])).toMatch(/^Usage: npm start .*Examples:/s);
    expect(helpOf(['--dev', '-h'])).toMatch(/^Usage: npm run dev .*identity.*Examples:/s);
    expect(helpOf(['--explore'])).toBeUndefined();
  });

  it('are refused with what is allowed', () => {
    expect(() => startOptions(['--fast'])).toThrow('npm start takes one option, --explore, not: --fast');
    expect(() => startOptions(['identity'])).toThrow('npm start takes one option');
    expect(() => startOptions(['--dev', 'idenity'])).toThrow(/names of services \(identity, .*not: idenity/);
  });
});
