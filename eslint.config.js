import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist/', '**/out-tsc/', '**/node_modules/', '.nx/', '.data/'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      // Ports have async signatures whose embedded implementation may have nothing to await.
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
    },
  },
  {
    // consistent-type-imports cannot see decorator metadata's need of a value import in Nest classes.
    files: ['apps/**/*.ts', 'libs/service-kit/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  { files: ['tools/**/*.ts', '**/*.bench.ts', 'e2e/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // A service's settings have one reader, its AppConfig; values are passed in from there.
    files: ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      '**/*.int-spec.ts',
      '**/*.emulator-spec.ts',
      '**/*.bench.ts',
      'libs/testkit/**',
      'libs/service-kit/src/config/config-class.ts',
      'libs/service-kit/src/start-service.ts',
      'libs/service-kit/src/run-service.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Add a setting to the app.config.ts and pass its value in.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        {
          selector:
            "BinaryExpression[operator='+'] > CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'A deadline moves when the clock does: use performance.now(), or the clock of the database.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          name: 'class-validator',
          importNames: ['IsOptional'],
          message: 'It takes null for absence: use MayBeAbsent, or MayBeNull where the specification says nullable.',
        },
      ],
    },
  },
  {
    files: ['spec', 'int-spec', 'e2e-spec', 'emulator-spec', 'opensearch-spec'].map((kind) => `**/*.${kind}.ts`),
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'MemberExpression[object.name=/^(describe|it|test)$/][property.name=/^(skip|only|todo|failing)$/], CallExpression[callee.name=/^(xit|xdescribe|xtest|fit|fdescribe)$/]',
          message: 'A test runs or is deleted.',
        },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...[
            'process',
            'console',
            'module',
            'Buffer',
            'URL',
            'URLSearchParams',
            'fetch',
            'performance',
            'structuredClone',
          ],
          ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'queueMicrotask'],
          ...['AbortController', 'AbortSignal', 'TextEncoder', 'TextDecoder'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  prettier,
);
