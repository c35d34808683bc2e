import { exampleCalls } from './example.mjs';
import { list, quoted, text } from './markdown.mjs';
import { propertiesOf, typeOf } from './schemas.mjs';

const PLACES = { path: 'in the path', query: 'in the query', header: 'header' };
const RULES = {
  resource: 'on the resource',
  filter: 'on each entry of the reply',
  entries: 'on each entry of the body',
  all: 'in each of its namespaces',
};

/** @param operation with its `method`, `path` and `service`, and resolved references to responses */
export function operationSection(operation) {
  return [
    `## ${titleOf(operation)} {#${operation.anchor}}`,
    '',
    `<p class="operation"><b class="${operation.method}">${operation.method.toUpperCase()}</b> <code v-pre>${operation.path}</code></p>`,
    '',
    ...descriptionOf(operation),
    ...nameAndAccessOf(operation),
    ...exampleCalls(operation),
    ...parametersOf(operation),
    ...bodiesOf(operation),
    ...repliesOf(operation),
    ...errorsOf(operation),
  ];
}

export const titleOf = ({ summary }) => text(summary).replace(/\.$/, '');

function descriptionOf({ summary, description }) {
  if (!description || description === summary) return [];
  return [...description.split('\n').map((line) => (/^\s*-/.test(line) ? line : text(line))), ''];
}

function nameAndAccessOf({ anchor, security, 'x-permission': permission }) {
  const name = `Operation ${quoted(anchor)}.`;
  if (security?.length === 0) return [`${name} Needs no access token.`, ''];
  const { rule, action, resource } = permission ?? {};
  if (!action) return [name, ''];
  const where = RULES[rule] ?? '';
  return [`${name} Needs ${quoted(action)} for ${quoted(resource)}${where && `, ${where}`}.`, ''];
}

function parametersOf({ parameters = [] }) {
  if (parameters.length === 0) return [];
  const lines = parameters.flatMap(({ name, in: place, required, schema, description }) => {
    const facts = [PLACES[place], typeOf(schema), ...(required ? ['required'] : [])].join(', ');
    return list(`${quoted(name)} ${facts}${description ? ` — ${text(description)}` : ''}`);
  });
  return ['**Parameters**', '', ...lines, ''];
}

function bodiesOf({ requestBody }) {
  const bodies = Object.entries(requestBody?.content ?? {});
  return bodies.flatMap(([type, { schema }]) => ['**Body**', '', ...contentOf(type, schema), '']);
}

function contentOf(type, schema = {}) {
  const kind = type === 'application/json' ? '' : `${quoted(type)}, `;
  return list(`${kind}${typeOf(schema)}`, propertiesOf(schema));
}

const isError = ([status]) => Number(status) >= 400;

function repliesOf({ responses }) {
  const lines = Object.entries(responses)
    .filter((entry) => !isError(entry))
    .flatMap(([status, reply]) => list(`**${status}** ${text(reply.description)}`, replyParts(reply)));
  return lines.length === 0 ? [] : ['**Replies**', '', ...lines, ''];
}

const replyParts = ({ headers = {}, content = {} }) => [
  ...Object.entries(headers)
    .filter(([name]) => name !== 'X-Request-Id')
    .flatMap(([name, { description = '' }]) => list(`Header ${quoted(name)} — ${text(description)}`)),
  ...Object.entries(content).flatMap(([type, { schema }]) => contentOf(type, schema)),
];

function errorsOf({ responses }) {
  const lines = Object.entries(responses)
    .filter(isError)
    .flatMap(([status, { description }]) => description.split('\n\n').map((line) => `- **${status}** ${text(line)}`));
  return lines.length === 0 ? [] : ['::: details Errors', '', ...lines, '', ':::', ''];
}
