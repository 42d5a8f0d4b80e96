import { describe, expect, it } from '@jest/globals';
import { serviceNames } from './ports.js';
import { helpOf, startOptions } from './start-options.js';

describe('the options of npm start and npm run dev', () => {
  it('are none by default', () => {
    expect(startOptions([], serviceNames)).toEqual({ isExploring: false, reloading: [] });
    expect(startOptions(['--explore'], serviceNames)).toEqual({ isExploring: true, reloading: [] });
  });

  it('reload the services that are named, or all', () => {
    expect(startOptions(['--dev'], serviceNames).reloading).toEqual(serviceNames);
    expect(startOptions(['--dev', 'coordinator', '--explore'], serviceNames)).toEqual({
      isExploring: true,
      reloading: ['coordinator'],
    });
  });

  it('are explained by --help, with examples', () => {
    expect(helpOf(['--help'], serviceNames)).toMatch(/^Usage: npm start .*Examples:/s);
    expect(helpOf(['--dev', '-h'], serviceNames)).toMatch(/^Usage: npm run dev .*identity.*Examples:/s);
    expect(helpOf(['--explore'], serviceNames)).toBeUndefined();
  });

  it('are refused with what is allowed', () => {
    expect(() => startOptions(['--fast'], serviceNames)).toThrow('npm start takes one option, --explore, not: --fast');
    expect(() => startOptions(['identity'], serviceNames)).toThrow('npm start takes one option');
    expect(() => startOptions(['--dev', 'idenity'], serviceNames)).toThrow(
      /names of services \(identity, .*not: idenity/,
    );
  });
});
