/** Runs after VitePress has built the site: checks, inline scripts, redirects, compression. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkLinks } from './check-links.mjs';
import { dist, filesBelow, publishedRedirects } from './files.mjs';
import { redirects } from './redirects.mjs';

const TEXTS = /\.(html|js|css|json|svg)$/;
/** A smaller file fits into one packet. */
const MIN_COMPRESSED_BYTES = 1_400;

export function afterBuild() {
  const pages = new Map(
    filesBelow(dist)
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, read(file)]),
  );
  for (const [file, html] of pages) writeFileSync(join(dist, file), withoutInlineScripts(html));
  const problems = [...emptyPages(pages), ...checkLinks(pages), ...writeRedirects(pages)];
  if (problems.length > 0) throw new Error(`The documentation has problems:\n${problems.join('\n')}`);
  compress(dist);
  return pages.size;
}

const read = (file) => readFileSync(join(dist, file), 'utf8');

/** VitePress continues when a page fails and leaves it empty. */
const emptyPages = (pages) =>
  [...pages].filter(([file, html]) => !html.includes('<h1') && file !== '404.html').map(([file]) => `${file} is empty`);

/** @returns redirects to pages that do not exist */
function writeRedirects(pages) {
  const all = redirects();
  writeFileSync(publishedRedirects, JSON.stringify(Object.fromEntries(all)));
  return all
    .filter(([, page]) => !pages.has(`${page.replace(/\/$/, '/index')}.html`))
    .map(([guess, page]) => `${guess} redirects to ${page}, which does not exist`);
}

/** Moves each inline script into a file: the content security policy forbids inline scripts. */
function withoutInlineScripts(html) {
  return html.replace(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g, (_, script) => {
    const name = `assets/inline.${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
    writeFileSync(join(dist, name), script);
    return `<script src="/docs/${name}"></script>`;
  });
}

export function compress(folder) {
  for (const file of filesBelow(folder).filter((each) => TEXTS.test(each))) {
    const bytes = readFileSync(join(folder, file));
    if (bytes.length >= MIN_COMPRESSED_BYTES) writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes));
  }
}
