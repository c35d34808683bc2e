const decode = (html) => html.replaceAll('&amp;', '&');

/**
 * Checks anchors, which VitePress does not.
 * @param pages the HTML of each file
 * @returns a line for each link to a heading that does not exist
 */
export function checkLinks(pages) {
  const ids = new Map([...pages].map(([file, html]) => [file, new Set(matches(html, /\sid="([^"]+)"/g))]));
  return [...pages].flatMap(([file, html]) =>
    matches(contentOf(html), /\shref="([^"]*#[^"]+)"/g)
      .map((link) => [link, ...splitLink(link, file)])
      .filter(([, target, anchor]) => target !== undefined && !ids.get(target)?.has(anchor))
      .map(([link]) => `${file} links to ${link}, which does not exist`),
  );
}

/** The part of a page rendered from Markdown. */
const contentOf = (html) => html.split('<main')[1] ?? '';

/** @returns the file of the site and the anchor; no file for other sites */
function splitLink(link, file) {
  const [path, anchor] = decode(link).split('#');
  if (path === '') return [file, decodeURIComponent(anchor)];
  if (!path.startsWith('/docs/')) return [undefined, anchor];
  const page = path.slice('/docs/'.length).replace(/(^|\/)$/, '$1index');
  return [page.endsWith('.html') ? page : `${page}.html`, decodeURIComponent(anchor)];
}

const matches = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found);
