/**
 * A markdown-it plugin. Links between pages of the repository lead to the same pages of the site. Links to files that
 * the site does not contain, such as source code, become text: an installation does not know where its repository is.
 * Code is marked `v-pre`, since VitePress would expand `{{ … }}`.
 */
import { resolveLink, sources } from './pages.mjs';

export function repositoryPages(markdown) {
  markdown.core.ruler.push('no-templates', ({ tokens }) => {
    const code = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'code_inline');
    for (const token of code) token.attrSet('v-pre', '');
  });
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const source = sources.get(env.relativePath);
    if (source === undefined) return;
    for (const { children } of tokens) if (children) rewriteLinks(children, source);
  });
}

function rewriteLinks(tokens, source) {
  let becomesText = false;
  for (const token of tokens) {
    if (token.type === 'link_open') becomesText = !rewrite(token, source);
    if (becomesText && /^link_(open|close)$/.test(token.type)) Object.assign(token, { type: 'text', content: '' });
  }
}

/** @returns whether the link leads to a page */
function rewrite(token, source) {
  const [file, anchor] = token.attrGet('href').split('#');
  if (file === '' || /^[a-z][a-z+.-]*:/i.test(file)) return true;
  const page = resolveLink(source, decodeURI(file));
  if (page) token.attrSet('href', `/${page}${anchor === undefined ? '' : `#${anchor}`}`);
  return page !== undefined;
}
