/** What tests import from `@jest/globals`: the functions of jest-light-runner, with time limits. */
const TIMEOUT_MS = 60_000;
// The time limit holds in tests that mock timers.
const { setTimeout, clearTimeout } = globalThis;
const { describe, expect, jest, test: plainTest } = globalThis;

const withTimeout = (run) => (name, fn, timeoutMs) => run(name, limited(fn, timeoutMs));
const withEach = (run) => Object.assign(withTimeout(run), { each: (...table) => withTimeout(run.each(...table)) });
const hook = (run) => (fn, timeoutMs) => run(limited(fn, timeoutMs));

export const test = Object.assign(withEach(plainTest), { only: withEach(plainTest.only), skip: plainTest.skip });
export const it = test;
export const beforeAll = hook(globalThis.beforeAll);
export const afterAll = hook(globalThis.afterAll);
export const beforeEach = hook(globalThis.beforeEach);
export const afterEach = hook(globalThis.afterEach);
export { describe, expect, jest };

/** Rejects when `fn` takes longer; jest-light-runner itself would wait forever. */
function limited(fn, timeoutMs = TIMEOUT_MS) {
  return async (...args) => {
    let timer;
    const timeout = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`The time limit of ${timeoutMs} ms is exceeded.`)), timeoutMs);
    });
    try {
      await Promise.race([fn(...args), timeout]);
    } finally {
      clearTimeout(timer);
    }
  };
}
