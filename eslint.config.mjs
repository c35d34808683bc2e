import tseslint from 'typescript-eslint';

const DOMAIN_MAY_NOT_IMPORT = [
  'express',
  'mongodb',
  'multer',
  'oidc-provider',
  'bullmq',
  'ioredis',
  '@aws-sdk/*',
  '@dtplatform/mongo',
  '@dtplatform/queue',
  '@dtplatform/object-store',
];

const NO_DRIVER = {
  name: 'mongodb',
  message:
    'Import from @dtplatform/mongo: a second driver could differ in its version, and with it in its errors and types.',
};
const NO_MONGOOSE = {
  name: 'mongoose',
  message: 'Import from @dtplatform/mongo, which sets it up: sanitized filters, revisions, strict documents.',
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '**/.turbo/', '.dtplatform/', 'coverage/'] },
  {
    files: ['**/*.ts'],
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
      // It takes the options of Mongoose's paths for instances of a class, and fails on some of Mongoose's types.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true, IIFEs: true }],
      complexity: ['error', 15],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'Use a union of strings.' }],
    },
  },
  { files: ['libs/**/*.ts'], rules: { 'no-restricted-imports': ['error', { paths: [NO_DRIVER, NO_MONGOOSE] }] } },
  { files: ['libs/{mongo,lease}/**/*.ts'], rules: { 'no-restricted-imports': ['error', { paths: [NO_DRIVER] }] } },
  { files: ['services/**/*.ts'], rules: { 'no-restricted-imports': ['error', { paths: [NO_MONGOOSE] }] } },
  {
    files: ['services/*/src/domain/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: DOMAIN_MAY_NOT_IMPORT,
              allowTypeImports: false,
              message: 'The domain knows no HTTP framework, database or object store: put it behind a port.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/test/**/*.ts', 'tests/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      // Bodies of supertest replies are any; what they hold is what the test asserts.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  {
    files: ['tools/{bench,cluster,stack}/src/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
