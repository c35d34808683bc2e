import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

const KB = 1000;

/** What a page loads, minified and compressed: initially, and for the first upload. */
async function sizes(): Promise<{ first: number; uploads: number }> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@dtplatform/sdk'", resolveDir: import.meta.dirname },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', write: false },
    ...{ outdir: '/', conditions: ['dtplatform-source'] },
  });
  const compressed = (isFirst: boolean) =>
    outputFiles
      .filter(({ path }) => path.endsWith('stdin.js') === isFirst)
      .reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  return { first: compressed(true), uploads: compressed(false) };
}

describe('the SDK in a browser bundle', () => {
  it('is small, and loads the upload client on demand', async () => {
    const { first, uploads } = await sizes();
    expect(first).toBeLessThan(11 * KB);
    expect(uploads).toBeGreaterThan(5 * KB);
    expect(uploads).toBeLessThan(25 * KB);
  });
});
