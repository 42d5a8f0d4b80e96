// Where Jest runs, Node itself loads the TypeScript of tests, apps and libs, and `@jest/globals` is jest-globals.mjs.
import { registerHooks } from 'node:module';
import './source-hooks.mjs';

const globals = new URL('./jest-globals.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
    return next(specifier, { ...context, conditions: [...context.conditions, '@tradewind/source'] });
  },
});
