/** turbo runs the unit tests of several packages at once. */
const isOneOfSeveral = process.env.TURBO_HASH !== undefined && process.env.npm_lifecycle_event === 'test';

/**
 * Four projects: `unit` (libraries, services and tools on real backends), `browser` (pages in Chromium), `e2e` (black
 * box, through the gateway) and `counts` (backend commands per call; the machine must be otherwise idle). In a
 * package's folder, Jest finds only its tests. Node.js loads the TypeScript sources of all workspace packages, once per
 * process; nothing has to be built first. Jest's own loader would evaluate them again for each file, which takes a third
 * of the CPU time.
 */
const native = {
  roots: [process.cwd()],
  runner: ['jest-light-runner', { runtime: 'child_process' }],
  setupFiles: ['<rootDir>/tools/jest/setup.mjs'],
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/\\.dtplatform/'],
  transform: {},
};

const COUNTS = 'tests/e2e/local-stack/counts.test.ts';

export default {
  maxWorkers: isOneOfSeveral ? 1 : 2,
  testSequencer: '<rootDir>/tools/jest/longest-first.mjs',
  reporters: ['default', '<rootDir>/tools/check/jest-report.mjs'],
  projects: [
    {
      ...native,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,packages,services,tests,tools}/*/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/test/browser/'],
      globalSetup: '<rootDir>/tools/stack/jest/start-backends.mjs',
      globalTeardown: '<rootDir>/tools/stack/jest/stop-backends.mjs',
    },
    {
      ...native,
      displayName: 'browser',
      testMatch: ['<rootDir>/{services,tools}/*/test/browser/*.test.ts'],
      globalSetup: '<rootDir>/tools/browser/start-browser-tests.mjs',
      globalTeardown: '<rootDir>/tools/stack/jest/stop-backends.mjs',
    },
    {
      ...native,
      displayName: 'e2e',
      testMatch: ['<rootDir>/tests/e2e/**/*.test.ts'],
      // Tests of the local stack say nothing about a platform that runs elsewhere.
      testPathIgnorePatterns: [COUNTS, ...(process.env.E2E_STATE_DIR ? ['/local-stack/'] : [])],
      globalSetup: '<rootDir>/tests/e2e/setup/start-stack.mjs',
      globalTeardown: '<rootDir>/tests/e2e/setup/stop-stack.mjs',
    },
    { ...native, displayName: 'counts', testMatch: [`<rootDir>/${COUNTS}`] },
  ],
};
