/** The API reference: one page per operation, and one per group of operations with the objects that they use. */
import { document } from './document.mjs';
import { table, text } from './markdown.mjs';
import { operationPage, titleOf } from './operation.mjs';
import { anchorOf, componentsIn, propertiesOf, typeOf } from './schemas.mjs';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];
/** Errors have a separate page. */
const ERRORS = new Set(['Error', 'OAuthError', 'ScimError']);

/** Groups with their title, service, and path on the site. */
const named = document.tags.map(({ name, description }) => {
  const [service, group] = name.split('.');
  const title = group.replace(/([a-z])([A-Z])/g, (_, end, begin) => `${end} ${begin.toLowerCase()}`);
  const page = `reference/${service}/${group}.md`;
  return { service, description, title: title[0].toUpperCase() + title.slice(1), name, page };
});

/** Operations with their method, path, group, and path on the site. */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => resolved(item[method], method, path)),
);

/** Groups with their operations. */
export const groups = named.map((group) => ({
  ...group,
  operations: operations.filter((operation) => operation.group === group),
  guests: operations.filter(({ tags, group: own }) => own !== group && tags.includes(group.name)),
}));

function resolved(operation, method, path) {
  const { schemas, responses, headers } = document.components;
  const deref = (part) =>
    part.$ref ? { responses, headers, schemas }[part.$ref.split('/')[2]][part.$ref.split('/')[3]] : part;
  const mapped = (parts, map) => Object.fromEntries(Object.entries(parts ?? {}).map(([key, part]) => [key, map(part)]));
  const replies = mapped(operation.responses, (reply) => {
    const response = deref(reply);
    return { ...response, headers: mapped(response.headers, deref) };
  });
  const group = named.find(({ name }) => name === operation.tags[0]);
  const page = group.page.replace(/\.md$/, `/${operation.operationId.split('.').slice(2).join('.')}.md`);
  return { ...operation, responses: replies, method, path, group, page };
}

/** Page texts by path. */
export const referencePages = () => [
  ['reference/index.md', overview()],
  ...groups.map((group) => [group.page, groupPage(group)]),
  ...operations.map((operation) => [operation.page, operationPage(operation)]),
];

/** Pages by the addresses that readers guess from the id of an operation. */
export const guessedPages = () => operations.map(({ operationId, page }) => [`reference/${operationId}`, page]);

function groupPage(group) {
  const all = [...group.operations, ...group.guests];
  return [
    '---',
    'pageClass: reference',
    '---',
    `# ${group.title}`,
    '',
    ...(group.description ? [text(group.description), ''] : []),
    ...table(['Operation', 'Call'], all.map(rowOf)),
    ...objectsOf(group.operations),
  ].join('\n');
}

const rowOf = (operation) => [
  `[${titleOf(operation)}](/${operation.page})`,
  `\`${operation.method.toUpperCase()} ${operation.path}\``,
];

function objectsOf(shown) {
  const { schemas } = document.components;
  const used = shown.map(({ group: _, ...operation }) => operation);
  const names = [...componentsIn(used, schemas)].filter((name) => !ERRORS.has(name)).sort();
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
    '<a href="/asyncapi.json" target="_self"><code>/asyncapi.json</code></a>. Pages of operations have a form that sends a call.',
    '[What all calls have in common](/api.md) and [the errors](/guides/errors.md) are described separately.',
    '',
    ...services.flatMap((service) => [
      `## ${serviceTitle(service)}`,
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

const TITLES = {
  passportsvc: 'Users and access',
  objectmodelsvc: 'Permissions',
  filesvc: 'Files',
  graphicssvc: 'Graphics',
  itemsvc: 'Items',
  datasourcesvc: 'Orchestrators',
  metricsvc: 'Metrics',
};

/** @returns a name for people, with that of the service */
export const serviceTitle = (service) => (TITLES[service] ? `${TITLES[service]} (${service})` : service);
