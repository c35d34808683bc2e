/** The examples of an operation: a call with each client, and the response that a test recorded. */
import { isPage, NAMESPACES } from '../../../openapi/callable.mjs';
import { argumentOf, snake } from '../../../openapi/python-operations.mjs';
import { schemaOf } from './document.mjs';
import { literal } from './literal.mjs';
import { fence, tabs } from './markdown.mjs';
import { sampleOf } from './sample.mjs';

const MAX_LINE = 100;
const FORM = 'application/x-www-form-urlencoded';
/** Values that make a complete call with the credentials of an app. */
const FORM_VALUES = { grant_type: 'client_credentials' };
const JSON_BODY = /^application\/(scim\+)?json$/;

/** @param operation with its `method` and `path` */
export function exampleCalls(operation) {
  const call = callOf(operation);
  return tabs([
    fence('sh', 'curl', curlOf(call)),
    ...(call.hasClients
      ? [
          fence('ts', 'SDK', sdkOf(call)),
          fence('python', 'Python', pythonOf(call)),
          ...(call.method === 'head' ? [] : [fence('sh', 'CLI', commandOf(call))]),
        ]
      : []),
  ]);
}

export function exampleResponse({ responses }) {
  for (const [status, { content }] of Object.entries(responses)) {
    const example = Number(status) < 400 ? exampleIn(content) : undefined;
    if (example) return [`**Response** ${status}`, '', ...fence('json', '', json(example.value))];
  }
  return [];
}

const exampleIn = (content = {}) => Object.values(content).flatMap(({ examples = {} }) => Object.values(examples))[0];

/** The content type of the body, an example if it is JSON, and the fields of a form. */
export function bodyOf({ requestBody }) {
  const [[type, { schema, examples } = {}] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined) return undefined;
  const [recorded] = Object.values(examples ?? {});
  const example = recorded?.value ?? (JSON_BODY.test(type) ? sampleOf(schema) : undefined);
  return { type, example, ...(type === FORM && { form: schemaOf(schema) }) };
}

const METHOD_OPTIONS = { get: [], head: ['-I'] };
const CREDENTIALS = { bearer: ['-H "Authorization: Bearer $TOKEN"'], basic: ['-u "$APP_ID:$APP_SECRET"'], none: [] };

/** How callers authenticate: `bearer`, `basic` or `none`. */
export function authOf({ security }) {
  if (security === undefined) return 'bearer';
  return security.some((scheme) => 'basic' in scheme) ? 'basic' : 'none';
}

/** Variants of an operation share their parameters: the example is a call of the first one. */
export function isShown({ in: place, required, example, description = '' }, { summary, 'x-operations': variants }) {
  if (place === 'path' || required) return true;
  return example !== undefined && (!variants || description.includes(`Required by: ${summary.split(' / ')[0]}.`));
}

function callOf(operation) {
  const { method, path, parameters = [], operationId } = operation;
  const needed = parameters.filter((each) => each.in !== 'header' && isShown(each, operation));
  const body = bodyOf(operation);
  return {
    ...{ method, path, body, operationId, auth: authOf(operation) },
    in: (place) => needed.filter((each) => each.in === place),
    hasClients: !isPage(operation) && (body === undefined || JSON_BODY.test(body.type)),
  };
}

const valueOf = ({ name, example }) => example ?? `<${name}>`;
const variableOf = ({ name }) => `$${snake(name).replaceAll(/\W+/g, '_').replace(/^_+/, '').toUpperCase()}`;
const json = (value) => JSON.stringify(value, null, 2);
const inShell = (text) => text.replaceAll("'", "'\\''");

function targetOf(call) {
  const encoded = (each) => (each.example === undefined ? variableOf(each) : encodeURIComponent(each.example));
  const path = call.in('path').reduce((text, each) => text.replace(`{${each.name}}`, encoded(each)), call.path);
  const query = call.in('query').map((each) => `${each.name}=${encoded(each)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function curlOf(call) {
  const { method, body, auth } = call;
  const options = [
    ...(METHOD_OPTIONS[method] ?? [`-X ${method.toUpperCase()}`]),
    ...CREDENTIALS[auth],
    ...(body ? dataOf(body) : []),
  ];
  return [`curl "$BASE${targetOf(call)}"`, ...options].join(' \\\n  ');
}

function dataOf({ type, example, form }) {
  if (type === 'multipart/form-data') return ['-F file=@FILE'];
  if (form)
    return (form.required ?? Object.keys(form.properties).slice(0, 1)).map(
      (name) => `-d "${name}=${FORM_VALUES[name] ?? variableOf({ name })}"`,
    );
  const data = example === undefined ? '--data-binary @FILE' : `-d '${inShell(json(example))}'`;
  return [`-H 'Content-Type: ${type}'`, data];
}

function commandOf(call) {
  const { method, body } = call;
  const data = body?.example === undefined ? '' : ` --data '${inShell(json(body.example))}'`;
  return `dt api ${method.toUpperCase()} "${targetOf(call)}"${data}`;
}

/** Parameters by name. The client fills in the namespace. */
const argumentsOf = (call, place, nameOf) =>
  call
    .in(place)
    .filter(({ name }) => !NAMESPACES.includes(name))
    .map((each) => [nameOf(each), valueOf(each)]);

function sdkOf(call) {
  const parts = ['path', 'query']
    .map((place) => [place, Object.fromEntries(argumentsOf(call, place, ({ name }) => name))])
    .filter(([, values]) => Object.keys(values).length > 0);
  if (call.body?.example !== undefined) parts.push(['body', call.body.example]);
  const options = parts.length === 0 ? '' : `, ${literal.ts(Object.fromEntries(parts))}`;
  return `const reply = await client.call('${call.operationId}'${options});`;
}

function pythonOf(call) {
  const named = ['path', 'query'].flatMap((place) => argumentsOf(call, place, argumentOf));
  if (call.body?.example !== undefined) named.push(['body', call.body.example]);
  const given = named.map(([name, value]) => `${name}=${literal.python(value)}`);
  const line = `reply = client.${call.operationId.split('.').map(snake).join('.')}(${given.join(', ')})`;
  if (line.split('\n')[0].length < MAX_LINE) return line;
  return line.replace(
    given.join(', '),
    () => given.map((each) => `\n    ${each.replaceAll('\n', '\n    ')},`).join('') + '\n',
  );
}
