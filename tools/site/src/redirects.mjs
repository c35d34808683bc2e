/** Addresses that readers guess or remember, below `/docs/`, and the pages that they lead to. */
import { guessedPages } from './reference/pages.mjs';
import { sitePaths } from './pages.mjs';

const GUESSES = {
  'reference/': ['api-reference', 'openapi', 'rest', 'swagger'],
  'guides/first-app': ['getting-started', 'get-started', 'quickstart', 'start', 'tutorial'],
  'guides/concepts': ['permissions', 'namespaces', 'glossary'],
  'guides/install': ['helm', 'kubernetes', 'installation', 'self-hosting'],
  'guides/openid-connect': ['authentication', 'auth', 'oauth', 'oidc'],
  'guides/browsers': ['cors'],
  'packages/': ['clients', 'downloads', 'sdks'],
  'packages/sdk': ['sdk', 'javascript', 'typescript'],
  'packages/sdk-python': ['python'],
  'packages/cli': ['cli', 'dt'],
  'guides/errors': ['errors'],
};

/** @returns pairs of an address and the page */
export function redirects() {
  const guides = [...sitePaths.values()].filter((page) => page.startsWith('guides/'));
  return [
    ...Object.entries(GUESSES).flatMap(([page, guesses]) => guesses.map((guess) => [guess, page])),
    ...guides.map((page) => [page.split('/').at(-1).replace('.md', ''), page.replace('.md', '')]),
    ...guessedPages().map(([guess, page]) => [guess, page.replace('.md', '')]),
  ];
}
