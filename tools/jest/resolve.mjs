const GLOBALS = new URL('./globals.mjs', import.meta.url).href;
/** Workspace packages resolve to their TypeScript source. */
const CONDITIONS = ['source', 'dtplatform-source'];
const ROOT = new URL('../..', import.meta.url).href;
const OF_TESTS = /\btests?\/.*\.ts$/;

/**
 * A hook of `node:module`. The files of tests are loaded anew for each test file, because they open connections; their
 * URLs have the query of the test file. All other modules are loaded once per process.
 */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  const resolved = await next(specifier, { ...context, conditions: [...context.conditions, ...CONDITIONS] });
  const { search } = new URL(context.parentURL ?? 'file:///');
  const isOfTests = resolved.url.startsWith(ROOT) && OF_TESTS.test(resolved.url.slice(ROOT.length));
  return isOfTests ? { ...resolved, url: resolved.url + search } : resolved;
}
