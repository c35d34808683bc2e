/** The API reference: one page per group of operations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reference } from '../files.mjs';
import { quoted, text } from './markdown.mjs';
import { operationSection, titleOf } from './operation.mjs';
import { anchorOf, componentsIn, propertiesOf, typeOf } from './schemas.mjs';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];
/** Errors have a separate page. */
const ERRORS = new Set(['Error', 'OAuthError', 'ScimError']);

const document = JSON.parse(readFileSync(join(reference, 'openapi.json'), 'utf8'));

/** Groups with their title, service, path on the site, and operations. */
export const groups = document.tags
  .map(({ name, description }) => {
    const [service, group] = name.split('.');
    const title = group.replace(/([a-z])([A-Z])/g, (_, end, begin) => `${end} ${begin.toLowerCase()}`);
    return { service, group, description, title: title[0].toUpperCase() + title.slice(1), name };
  })
  .map((group) => ({ ...group, page: `reference/${group.service}/${group.group}.md` }));

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => resolved(item[method], method, path)),
);

function resolved(operation, method, path) {
  const { schemas, responses, headers } = document.components;
  const deref = (part) =>
    part.$ref ? { responses, headers, schemas }[part.$ref.split('/')[2]][part.$ref.split('/')[3]] : part;
  const mapped = (parts, map) => Object.fromEntries(Object.entries(parts ?? {}).map(([key, part]) => [key, map(part)]));
  const replies = mapped(operation.responses, (reply) => {
    const response = deref(reply);
    return { ...response, headers: mapped(response.headers, deref) };
  });
  const anchor = operation.operationId.split('.').slice(1).join('.');
  return { ...operation, responses: replies, method, path, anchor };
}

const operationsOf = ({ name }) => operations.filter(({ tags }) => tags[0] === name);
const guestsOf = ({ name }) => operations.filter(({ tags }) => tags[0] !== name && tags.includes(name));

/** Page texts by path. */
export const referencePages = () => [
  ['reference/index.md', overview()],
  ...groups.map((group) => [group.page, groupPage(group)]),
];

function groupPage(group) {
  const own = operationsOf(group);
  return [
    `# ${group.title}`,
    '',
    ...(group.description ? [text(group.description), ''] : []),
    ...[...own, ...guestsOf(group)].map((operation) => linkTo(operation, group)),
    '',
    ...own.flatMap(operationSection),
    ...objectsOf(own),
  ].join('\n');
}

function linkTo(operation, group) {
  const home = groups.find(({ name }) => name === operation.tags[0]);
  const page = home === group ? '' : `/${home.page}`;
  return `- [${titleOf(operation)}](${page}#${operation.anchor})`;
}

function objectsOf(shown) {
  const { schemas } = document.components;
  const names = [...componentsIn(shown, schemas)].filter((name) => !ERRORS.has(name)).sort();
  if (names.length === 0) return [];
  return ['## Objects', '', ...names.flatMap((name) => objectSection(name, schemas[name]))];
}

function objectSection(name, schema) {
  const properties = propertiesOf(schema);
  const description = schema.description ? [text(schema.description), ''] : [];
  const content = properties.length > 0 ? properties : [`- ${typeOf(schema)}`];
  return [`### ${name} {#${anchorOf(name)}}`, '', ...description, ...content, ''];
}

function overview() {
  const services = [...new Set(groups.map(({ service }) => service))];
  return [
    '# API reference',
    '',
    text(document.info.description),
    '',
    'This reference is made from the same declarations as the services. The document itself is at',
    '<a href="/openapi.json" target="_self"><code>/openapi.json</code></a>, and that of the websockets at',
    '<a href="/asyncapi.json" target="_self"><code>/asyncapi.json</code></a>. To send calls from a page, open',
    '<a href="/docs/swagger/" target="_self">Swagger UI</a>. [What all calls have in common](/api.md) and',
    '[the errors](/guides/errors.md) are described apart.',
    '',
    ...services.flatMap((service) => [
      `## ${service}`,
      '',
      ...groups
        .filter((group) => group.service === service)
        .map(
          (group) => `- [${group.title}](/${group.page})${group.description ? ` — ${text(group.description)}` : ''}`,
        ),
      '',
    ]),
  ].join('\n');
}
