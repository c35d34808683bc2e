import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.mjs';
import { sitePaths } from './pages.mjs';
import { groups, serviceTitle } from './reference/pages.mjs';
import { titleOf } from './reference/operation.mjs';

const linkOf = (page) => `/${page.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`;

/** The text defaults to the page's heading. */
function entry(source, text = headingOf(source)) {
  return { text, link: linkOf(sitePaths.get(source)) };
}

const entries = (sources) => sources.map((source) => entry(source));

function headingOf(source) {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(join(root, source), 'utf8'));
  return heading.replaceAll('`', '');
}

const below = (folder) =>
  [...sitePaths.keys()].filter((source) => source.startsWith(folder) && source.endsWith('.md')).sort();

const section = (text, items, more = {}) => ({ text, items, collapsed: false, ...more });

/** In reading order; other guides follow. */
const GUIDES = ['first-app', 'concepts', 'browsers', 'openid-connect'];
const ERRORS = { text: 'Errors', link: '/guides/errors' };
const isOfOperators = (source) => source.endsWith('/install.md');

function guides() {
  const first = GUIDES.map((name) => `docs/guides/${name}.md`);
  const others = below('docs/guides/').filter((source) => !first.includes(source) && !isOfOperators(source));
  return [...entries([...first, ...others, 'docs/api.md']), ERRORS];
}

export function sidebar() {
  const decisions = entries(below('docs/adr/0'));
  return {
    ...referenceSidebars(),
    '/': [
      section('Guides', guides()),
      section('Services', entries(below('services/'))),
      section('Programs', [
        { text: 'Install them', link: '/packages/' },
        entry('packages/sdk/README.md', 'SDK for TypeScript'),
        entry('packages/sdk-python/README.md', 'SDK for Python'),
        entry('packages/cli/README.md', 'Command line'),
        entry('packages/console/README.md', 'Console'),
      ]),
      section('Operate', [
        ...entries(below('docs/guides/').filter(isOfOperators)),
        ...['operations', 'sizing', 'security', 'metrics'].map((name) => entry(`docs/${name}.md`)),
        section('Charts', entries(below('charts/')), { collapsed: true }),
      ]),
      section('Contribute', [
        entry('README.md', 'Overview of the repository'),
        entry('CONTRIBUTING.md'),
        ...['architecture', 'contract', 'components', 'pages/README', 'style', 'roadmap'].map((name) =>
          entry(`docs/${name}.md`),
        ),
        section('Decisions', [entry('docs/adr/README.md', 'All decisions'), ...decisions], { collapsed: true }),
      ]),
    ],
  };
}

const REFERENCE = { text: 'All services', link: '/reference/' };

/** Each service has its own, in which the operations of a group unfold. */
function referenceSidebars() {
  const services = [...new Set(groups.map(({ service }) => service))];
  const groupsOf = (service) => groups.filter((group) => group.service === service);
  const overview = services.map((service) =>
    section(serviceTitle(service), groupsOf(service).map(pageEntry), { collapsed: true }),
  );
  const own = services.map((service) => [
    `/reference/${service}/`,
    [REFERENCE, section(serviceTitle(service), groupsOf(service).map(groupEntry))],
  ]);
  return { ...Object.fromEntries(own), '/reference/': [REFERENCE, ...overview] };
}

const pageEntry = ({ title, page }) => ({ text: title, link: linkOf(page) });

function groupEntry(group) {
  const textOf = (operation) => titleOf(operation).replaceAll('`', '');
  const items = group.operations.map((operation) => ({ text: textOf(operation), link: linkOf(operation.page) }));
  return { ...pageEntry(group), items, collapsed: true };
}
