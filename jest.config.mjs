/** turbo runs the unit tests of several packages at once. */
const isOneOfSeveral = process.env.TURBO_HASH !== undefined && process.env.npm_lifecycle_event === 'test';

/**
 * Four projects: `unit` (libraries, services and tools on real backends), `browser` (pages in Chromium), `e2e` (black
 * box, through the gateway) and `counts` (backend commands per call; the machine must be otherwise idle). In a
 * package's folder, Jest finds only its tests. Workspace packages and relative `./x.js` imports resolve to their
 * TypeScript source; nothing has to be built first.
 */
const typescriptEsm = {
  roots: [process.cwd()],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'dtplatform-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/\\.dtplatform/'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

const COUNTS = 'tests/e2e/local-stack/counts.test.ts';

export default {
  maxWorkers: isOneOfSeveral ? 1 : 2,
  // Each test file leaves memory behind in its worker; with 1.5 GB, collecting garbage takes a fifth of the CPU time.
  workerIdleMemoryLimit: '400MB',
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/tools/check/jest-report.mjs'],
  projects: [
    {
      ...typescriptEsm,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,packages,services,tests,tools}/*/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/test/browser/'],
      globalSetup: '<rootDir>/tools/stack/jest/start-backends.mjs',
      globalTeardown: '<rootDir>/tools/stack/jest/stop-backends.mjs',
    },
    {
      ...typescriptEsm,
      displayName: 'browser',
      testMatch: ['<rootDir>/{services,tools}/*/test/browser/*.test.ts'],
      globalSetup: '<rootDir>/tools/browser/start-browser-tests.mjs',
      globalTeardown: '<rootDir>/tools/stack/jest/stop-backends.mjs',
    },
    {
      ...typescriptEsm,
      displayName: 'e2e',
      testMatch: ['<rootDir>/tests/e2e/**/*.test.ts'],
      // Tests of the local stack say nothing about a platform that runs elsewhere.
      testPathIgnorePatterns: [COUNTS, ...(process.env.E2E_STATE_DIR ? ['/local-stack/'] : [])],
      globalSetup: '<rootDir>/tests/e2e/setup/start-stack.mjs',
      globalTeardown: '<rootDir>/tests/e2e/setup/stop-stack.mjs',
    },
    { ...typescriptEsm, displayName: 'counts', testMatch: [`<rootDir>/${COUNTS}`] },
  ],
};
