import { defineConfig } from 'vitepress';
import { dist, staged } from '../src/files.mjs';
import { repositoryPages } from '../src/markdown-plugin.mjs';
import { sidebar } from '../src/sidebar.mjs';
import { slugOf } from '../src/slug.mjs';

export default defineConfig({
  title: 'dtplatform',
  description: 'Guides and the API reference of dtplatform.',
  lang: 'en',
  base: '/docs/',
  srcDir: staged,
  outDir: dist,
  cleanUrls: true,
  // Otherwise a style sheet is added while it runs, which the policy does not allow either.
  appearance: { disableTransition: false },
  // In a file of its own: the content security policy allows no inline scripts.
  metaChunk: true,
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      // Names such as `service:type:id` are no pictures.
      markdown.disable('emoji');
      markdown.use(repositoryPages);
    },
  },
  // The index of the search is loaded with the first search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  transformPageData: ({ relativePath, frontmatter }) => {
    // It has a heading for each error.
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
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local', options: { detailedView: true } },
  },
});
