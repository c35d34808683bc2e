/** The page of an operation. */
import { isPage } from '../../../openapi/callable.mjs';
import { authOf, bodyOf, exampleCalls, exampleResponse, isShown } from './example.mjs';
import { list, quoted, table, text } from './markdown.mjs';
import { propertiesOf, typeOf } from './schemas.mjs';

const RULES = {
  resource: 'on the resource',
  filter: 'on each entry of the response',
  entries: 'on each entry of the body',
  all: 'in each of its namespaces',
};
/** The page sends these itself. */
const OWN_HEADERS = ['Prefer'];

export const titleOf = ({ summary }) => text(summary).replace(/\.$/, '');

/** @param operation with its `method`, `path` and `group`, and resolved references to responses */
export function operationPage(operation) {
  const { method, path } = operation;
  const lines = [
    `# ${titleOf(operation)}`,
    '',
    `<p class="operation"><b class="${method}">${method.toUpperCase()}</b> <code v-pre>${path}</code></p>`,
    '',
    ...descriptionOf(operation),
    ...nameAndAccessOf(operation),
    ...exampleCalls(operation),
    ...exampleResponse(operation),
    ...(canBeSent(operation) ? ['<TryIt />', ''] : []),
    ...parametersOf(operation),
    ...bodiesOf(operation),
    ...responsesOf(operation),
    ...errorsOf(operation),
  ];
  const objects = `](/${operation.group.page.replace('.md', '')}#object-`;
  return `---\npageClass: reference\noperation: ${JSON.stringify(formOf(operation))}\n---\n${lines.join('\n').replaceAll('](#object-', objects)}`;
}

function descriptionOf({ description }) {
  if (!description) return [];
  return [...description.split('\n').map((line) => (/^\s*-/.test(line) ? line : text(line))), ''];
}

function nameAndAccessOf({ operationId, security, 'x-permission': permission }) {
  const name = `Operation ${quoted(operationId)}.`;
  if (security !== undefined) return [`${name} Needs no access token.`, ''];
  const { rule, action, resource } = permission ?? {};
  if (!action) return [name, ''];
  const where = RULES[rule] ?? '';
  return [`${name} Needs ${quoted(action)} for ${quoted(resource)}${where && `, ${where}`}.`, ''];
}

function parametersOf({ parameters = [] }) {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    `${quoted(name)}${required ? ' **required**' : ''}`,
    place,
    typeOf(schema),
    text(description),
  ]);
  return ['## Parameters', '', ...table(['Name', 'In', 'Type', 'Description'], rows)];
}

function bodiesOf({ requestBody }) {
  const bodies = Object.entries(requestBody?.content ?? {});
  if (bodies.length === 0) return [];
  return ['## Body', '', ...bodies.flatMap(([type, { schema }]) => contentOf(type, schema)), ''];
}

function contentOf(type, schema = {}) {
  const kind = type === 'application/json' ? '' : `${quoted(type)}, `;
  return list(`${kind}${typeOf(schema)}`, propertiesOf(schema));
}

const isError = ([status]) => Number(status) >= 400;

function responsesOf({ responses }) {
  const lines = Object.entries(responses)
    .filter((entry) => !isError(entry))
    .flatMap(([status, reply]) => list(`**${status}** ${text(reply.description)}`, partsOf(reply)));
  return lines.length === 0 ? [] : ['## Responses', '', ...lines, ''];
}

const partsOf = ({ headers = {}, content = {} }) => [
  ...Object.entries(headers)
    .filter(([name]) => name !== 'X-Request-Id')
    .flatMap(([name, { description = '' }]) => list(`Header ${quoted(name)} — ${text(description)}`)),
  ...Object.entries(content).flatMap(([type, { schema }]) => contentOf(type, schema)),
];

function errorsOf({ responses }) {
  const rows = Object.entries(responses)
    .filter(isError)
    .flatMap(([status, { description }]) => description.split('\n\n').map((line) => [status, text(line)]));
  return rows.length === 0 ? [] : ['## Errors', '', ...table(['Status', 'Meaning'], rows)];
}

/** From the form on the page, which does not take files. */
const canBeSent = (operation) => !isPage(operation) && !bodyOf(operation)?.type.startsWith('multipart/');

/** What the form that sends the call needs. */
function formOf(operation) {
  const { method, path, parameters = [] } = operation;
  const { form, ...body } = bodyOf(operation) ?? {};
  const inBody = form ? formFieldsOf(form) : [];
  // Secrets of a form do not belong into the query. `<name>` stands for any name.
  const isLeftOut = ({ name }) =>
    OWN_HEADERS.includes(name) || name.includes('<') || inBody.some((field) => field.name === name);
  const isPreset = (each) => each.required || (operation['x-operations'] !== undefined && isShown(each, operation));
  const given = parameters.filter((each) => !isLeftOut(each));
  const fields = [...given.map((each) => ({ ...fieldOf(each), isPreset: isPreset(each) })), ...inBody];
  return { method, path, hasToken: authOf(operation) === 'bearer', fields, ...(body.type && !form && { body }) };
}

const fieldOf = ({ name, in: place, required = false, schema, example }) => ({
  ...{ name, in: place, required },
  ...(schema.enum && { options: schema.enum.map(String) }),
  ...(example !== undefined && { example: String(example) }),
});

const formFieldsOf = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(([name, schema]) =>
    fieldOf({ name, in: 'form', required: required.includes(name), schema }),
  );
