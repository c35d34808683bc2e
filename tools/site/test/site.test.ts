import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const program = (name: string) => import(pathToFileURL(path.resolve(import.meta.dirname, '../src', name)).href);
const { checkLinks } = (await program('check-links.mjs')) as { checkLinks: (pages: Map<string, string>) => string[] };
const { resolveLink } = (await program('pages.mjs')) as {
  resolveLink: (source: string, link: string) => string | undefined;
};

const page = (content: string) => `<nav><a href="#nowhere">skip</a></nav><main>${content}</main>`;

describe('the check of links to headings', () => {
  const pages = (link: string) =>
    new Map([
      ['index.html', page(`<h1 id="top">Top</h1><a href="${link}">there</a>`)],
      ['guides/first.html', page('<h2 id="sign-in">Sign in</h2>')],
      ['reference/index.html', page('<h2 id="files.get">Read</h2>')],
    ]);

  it.each(['#top', '/docs/guides/first#sign-in', '/docs/reference/#files.get', 'https://example.com/#other'])(
    'accepts %s',
    (link) => expect(checkLinks(pages(link))).toEqual([]),
  );

  it.each(['#bottom', '/docs/guides/first#sign-out', '/docs/guides/second#sign-in', '/docs/reference/#files.put'])(
    'rejects %s',
    (link) => expect(checkLinks(pages(link))).toEqual([`index.html links to ${link}, which does not exist`]),
  );
});

describe('links between pages of the repository', () => {
  it.each([
    ['docs/api.md', 'contract.md', 'contract.md'],
    ['docs/api.md', '../services/filesvc/README.md', 'services/filesvc.md'],
    ['docs/api.md', 'adr', 'adr/index.md'],
    ['services/filesvc/README.md', '../../docs/guides/concepts.md', 'guides/concepts.md'],
    ['README.md', 'charts/', 'charts/index.md'],
    ['README.md', 'services/filesvc/src/service.ts', undefined],
  ])('lead from %s by %s to %s', (source, link, target) => expect(resolveLink(source, link)).toBe(target));

  it('fail when the page does not exist', () => {
    expect(() => resolveLink('docs/api.md', 'apis.md')).toThrow(
      'docs/api.md links to apis.md, which the site does not have',
    );
  });
});

it('a call from the reference sends the fields of a form in the body, and no empty field', async () => {
  const { requestOf } = (await program('../.vitepress/theme/call.mjs')) as {
    requestOf: (form: object, filled: object) => { url: string; body: URLSearchParams };
  };
  const fields = ['id', 'state', 'client_secret'].map((name, n) => ({ name, in: ['path', 'query', 'form'][n] }));
  const values = { id: 'a/b', state: '', client_secret: 's&t' };
  const { url, body } = requestOf({ method: 'post', path: '/apps/{id}', fields }, { values });
  expect([url, body.toString()]).toEqual(['/apps/a%2Fb', 'client_secret=s%26t']);
});
