/**
 * Builds the documentation site: pages and API reference into `dist/pages`, API descriptions into `dist/reference`, client
 * packages into `dist/packages`. Fails on a broken link. `src/server` serves them. The reference is Markdown because the
 * search cannot index Redoc or Scalar, and their scripts would need a wider content security policy.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { errorsPage } from '../../openapi/errors-page.mjs';
import { afterBuild, compress } from './after-build.mjs';
import { dist, here, publishedConsole, publishedReference, reference, root, staged } from './files.mjs';
import { packagesPage, packPackages } from './packages.mjs';
import { sitePaths } from './pages.mjs';
import { referencePages } from './reference/pages.mjs';

await stage();
await build(here);
process.stdout.write(`${afterBuild()} pages are in ${dist}\n`);
publish(reference, publishedReference);
publish(join(root, 'packages/console/dist'), publishedConsole);
packPackages();

/** Writes all pages to the folder that VitePress reads. */
async function stage() {
  rmSync(staged, { recursive: true, force: true });
  cpSync(join(here, 'src/static'), staged, { recursive: true });
  for (const [source, page] of sitePaths) cpSync(join(root, source), join(staged, page));
  write(join(staged, 'guides/errors.md'), await errorsPage(root));
  write(join(staged, 'packages/index.md'), packagesPage());
  for (const [page, content] of referencePages()) write(join(staged, page), content);
}

function publish(source, target) {
  rmSync(target, { recursive: true, force: true });
  cpSync(source, target, { recursive: true });
  compress(target);
}

function write(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
