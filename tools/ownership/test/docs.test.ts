import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo', '.dtplatform', '.pages']);

function filesIn(folder: string, suffix: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesIn(name, suffix);
    return name.endsWith(suffix) ? [name] : [];
  });
}

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);
const withoutCode = (markdown: string) => markdown.replace(/^( *)```[^]*?^\1```/gm, '').replace(/`[^`\n]*`/g, '');

const pages = filesIn('.', '.md');
const guides = pages.filter((page) =>
  /^(README|CONTRIBUTING)\.md$|^docs\/(guides\/)?[^/]+\.md$|^services\/[^/]+\/README/.test(page),
);
const services = readdirSync(path.join(root, 'services'));

/** Operations of the API descriptions, and other methods of their paths. */
const operations = new Set(
  services.flatMap((service) => [
    ...matches(read(`services/${service}/openapi.json`), /"operationId": "([^"]+)"/g),
    ...filesIn(`services/${service}/src`, '.routes.ts').flatMap((file) => matches(read(file), /operation: '([^']+)'/g)),
  ]),
);

/** Keys of application configs, which look like operations. */
const CONFIG_KEYS = ['usergroups.limit', 'workspaces.limit'];

test('guides name only operations that exist', () => {
  const groups = new Set([...operations].map((operation) => operation.split('.')[0]!));
  const wrong = guides.flatMap((page) => {
    const markdown = read(page);
    const named = matches(markdown, /`([a-zA-Z]+\.[a-zA-Z-]+)`/g).filter((name) => groups.has(name.split('.')[0]!));
    const inQueries = matches(markdown, /operation[=!]~?"([^"]+)"/g)
      .flatMap((pattern) => pattern.split('|'))
      .filter((name) => !name.includes('*'));
    return [...named, ...inQueries]
      .filter((name) => !operations.has(name) && !CONFIG_KEYS.includes(name))
      .map((name) => `${page}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const headingsOf = (page: string) => matches(read(page).replace(/^( *)```[^]*?^\1```/gm, ''), /^#+ (.+)$/gm);

test('relative links lead to files and headings that exist', () => {
  const broken = pages.flatMap((page) =>
    matches(withoutCode(read(page)), /\]\(([^)\s]+)\)/g)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(root, target))) return true;
        if (anchor === undefined) return false;
        return statSync(path.join(root, target)).isDirectory() || !headingsOf(target).map(anchorOf).includes(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('comments cite sections of the contract that exist', () => {
  const titles = new Set(headingsOf('docs/contract.md').map((title) => title.toLowerCase()));
  const wrong = ['libs', 'services', 'tests', 'tools']
    .flatMap((folder) => filesIn(folder, '.ts'))
    .flatMap((file) =>
      matches(read(file), /docs\/contract\.md, "([^"]+)"/g)
        .filter((title) => !titles.has(title.toLowerCase()))
        .map((title) => `${file}: ${title}`),
    );
  expect(wrong).toEqual([]);
});

test('comments cite pages of docs/ that exist', () => {
  const cited = ['libs', 'services', 'tests', 'tools', 'charts', 'docker']
    .flatMap((folder) => ['.ts', '.mjs', '.yaml', '.tpl', 'Dockerfile'].flatMap((suffix) => filesIn(folder, suffix)))
    .flatMap((file) => matches(read(file), /(?<![\w/.-])(docs\/[\w./-]*\w)/g).map((page) => ({ file, page })));
  expect(cited.length).toBeGreaterThan(20);
  const all = pages.filter((page) => page.startsWith('docs/'));
  // Decisions are cited by file name because their numbers change.
  const exists = (page: string) =>
    all.some((each) => (/adr\/\d{4}/.test(page) ? each === page : each.startsWith(page)));
  expect(cited.filter(({ page }) => !exists(page))).toEqual([]);
});

test('alerts lead to runbooks that exist', () => {
  const files = filesIn('charts', 'alerts.yaml').filter((file) => !file.includes('/tests/'));
  const links = files.flatMap((file) => matches(read(file), /runbook_url: RUNBOOKS\/(\S+)/g));
  expect(links.length).toBeGreaterThan(10);
  const broken = links
    .flatMap((link) => (link.includes('SERVICE') ? services.map((name) => link.replaceAll('SERVICE', name)) : [link]))
    .filter((link) => {
      const [page, anchor] = link.split('#');
      return !existsSync(path.join(root, page!)) || !headingsOf(page!).map(anchorOf).includes(anchor!);
    });
  expect(broken).toEqual([]);
});

test('npm scripts that pages name exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const missing = guides.flatMap((page) =>
    matches(read(page), /npm run (?:--silent )?([\w:-]+)/g)
      .filter((name) => !(name in scripts))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('settings, codes and values of charts that pages name exist', () => {
  const sources = ['libs', 'packages', 'services', 'tools']
    .flatMap((folder) => ['.ts', '.mjs', 'openapi.json', 'package.json'].flatMap((suffix) => filesIn(folder, suffix)))
    .concat('docker/Dockerfile', 'skaffold.yaml', 'docker/base/build.sh')
    .map(read)
    .join('\n');
  const wrong = guides.flatMap((page) => {
    const markdown = read(page);
    const names = matches(markdown, /`((?!MINIO_)[A-Z][A-Z\d]*(?:_[A-Z\d]+)+)`/g).filter(
      (name) => !sources.includes(name),
    );
    const values = [...markdown.matchAll(/`(\w+svc)\.settings\.(\w+)`/g)]
      .filter(([, service, name]) => !read(`charts/${service!}/values.yaml`).includes(`${name!}:`))
      .map(([value]) => value);
    return [...names, ...values].map((name) => `${page}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

const withoutIndentation = (code: string) => code.replace(/^[ \t]+/gm, '');

/**
 * Whether an excerpt occurs in the code. A line `// …` stands for any lines; the parts around it occur in this order.
 */
function occursIn(code: string, excerpt: string): boolean {
  const text = `\n${withoutIndentation(code)}`;
  const parts = withoutIndentation(excerpt).split(/^\/\/ …\n/m);
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(`\n${part}`, from);
    from = at + part.length;
    return at >= 0;
  });
}

test('excerpts of code in guides occur in the files they name', () => {
  const excerpts = guides.flatMap((page) =>
    [...read(page).matchAll(/^```ts ([^[\s]\S*)\n([^]*?)^```/gm)].map(([, file, code]) => ({
      page,
      file: file!,
      code: code!,
    })),
  );
  expect(excerpts.length).toBeGreaterThan(5);
  const wrong = excerpts
    .filter(({ file, code }) => !existsSync(path.join(root, file)) || !occursIn(read(file), code))
    .map(({ page, file, code }) => `${page}: ${file}: ${code}`);
  expect(wrong).toEqual([]);
});
