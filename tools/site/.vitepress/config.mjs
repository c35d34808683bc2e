import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { dist, root, staged } from '../src/files.mjs';
import { repositoryPages } from '../src/markdown-plugin.mjs';
import { sidebar } from '../src/sidebar.mjs';
import { slugOf } from '../src/slug.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const isOperation = (page) => page.split('/').length === 4 && page.startsWith('reference/');

/** An operation is one result: its sections have the same names on all pages. */
async function searchedText(source, env, markdown) {
  const html = await markdown.render(source, env);
  return isOperation(env.relativePath) ? html.replaceAll(/<h2[^]*?<\/h2>/g, '') : html;
}

export default defineConfig({
  title: 'dtplatform',
  description: 'Guides and the API reference of dtplatform.',
  lang: 'en',
  base: '/docs/',
  srcDir: staged,
  outDir: dist,
  cleanUrls: true,
  // VitePress would add a style sheet at run time, which the policy forbids.
  appearance: { disableTransition: false },
  // In a separate file: the content security policy forbids inline scripts.
  metaChunk: true,
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      // Names such as `service:type:id` are not emojis.
      markdown.disable('emoji');
      markdown.use(repositoryPages);
    },
  },
  // The search index is loaded with the first search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  transformPageData: ({ relativePath, frontmatter }) => {
    // One heading per error.
    if (relativePath === 'guides/errors.md') frontmatter.outline = 2;
  },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/icon.svg' }]],
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Guides', link: '/guides/first-app', activeMatch: '^/(guides|api|services)' },
      { text: 'API reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Operate', link: '/guides/install' },
      { text: 'Contribute', link: '/contributing' },
      { text: version, link: '/changelog' },
    ],
    sidebar: sidebar(),
    notFound: { linkText: 'Home', linkLabel: 'Home' },
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local', options: { detailedView: true, _render: searchedText } },
  },
});
