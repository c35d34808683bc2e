import tseslint from 'typescript-eslint';

const NO_ENUM = { selector: 'TSEnumDeclaration', message: 'Use a union of strings.' };

const OUTCOME =
  'Which status an error has is declared in errors.ts; ask isRefusal or isUnavailable of @dtplatform/errors.';
/** HTTP status codes in comparisons and objects. Any other `status` is a word, not a number. */
const NO_STATUS = [
  'BinaryExpression[left.property.name=/^(status|statusCode)$/][right.type="Literal"][right.raw=/^[1-5]\\d\\d$/]',
  'Property[key.name=/^(status|statusCode)$/][value.raw=/^[1-5]\\d\\d$/]',
  'NewExpression[callee.name="AppError"]',
].map((selector) => ({ selector, message: OUTCOME }));

/** Rules that dependency-cruiser cannot express: it ignores which names are imported. */
const FILTERS_IN_STORES = {
  name: '@dtplatform/mongo',
  importNames: ['scopeFilter', 'trusted', 'NOTHING'],
  message: 'Only stores make filters: `trusted` elsewhere could let operators of a caller through.',
};
const NO_LEASES_IN_DOMAIN = {
  name: '@dtplatform/lease',
  allowImportNames: ['LeaseLost', 'KeptLease', 'LeaseState'],
  message: 'Stores claim and extend leases; the domain only learns that one was lost.',
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '**/.turbo/', '.dtplatform/', 'coverage/', 'packages/*/src/generated/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      // One program for all packages: a program for each would not fit into memory.
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['it', 'test', 'describe'], package: '@jest/globals' }] },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // It mistakes Mongoose's path options for class instances and fails on some of Mongoose's types.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true, IIFEs: true }],
      complexity: ['error', 15],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', NO_ENUM],
    },
  },
  {
    // Browser programs have other types than Node.js programs.
    files: ['examples/**/*.ts'],
    languageOptions: { parserOptions: { project: './examples/tsconfig.json' } },
  },
  {
    files: ['packages/console/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './packages/console/tsconfig.json' } },
  },
  // A language is one file.
  { files: ['packages/console/src/messages/*.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['services/*/src/**/*.ts'],
    ignores: ['services/*/src/**/*.{store,model}.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [FILTERS_IN_STORES] }] },
  },
  {
    // Entities and use cases: resource files without a suffix.
    files: ['services/*/src/*/**/*.ts'],
    ignores: [
      'services/*/src/admin/**',
      'services/*/src/**/*.{routes,handler,page,http,store,model,client,job,module}.ts',
    ],
    rules: {
      'no-restricted-imports': ['error', { paths: [NO_LEASES_IN_DOMAIN] }],
      'no-restricted-syntax': ['error', NO_ENUM, ...NO_STATUS],
    },
  },
  {
    files: ['**/test/**/*.ts', 'tests/e2e/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      // Supertest types response bodies as any; the tests assert their content.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  {
    files: ['tools/{backup,stack}/src/**/*.ts', 'tests/{bench,cluster}/src/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
