/**
 * `npm run generate` of the SDK: writes the types of all operations, and a table for the runtime, from the reference
 * into `src/generated`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { callable, namespaceFilterOf, NAMESPACES } from './callable.mjs';

const HEADER = '/** Generated from the reference by the build. */\n';

/** Defaults apply to fields that callers omit. Responses list guaranteed fields in `required`. */
const TYPES = { alphabetize: true, defaultNonNullable: false };

const target = new URL('../../packages/sdk/src/generated/', import.meta.url);
const reference = JSON.parse(readFileSync(new URL('dist/reference/openapi.json', import.meta.url), 'utf8'));
const operations = callable(reference);
mkdirSync(target, { recursive: true });
write('api.ts', astToString(await openapiTS(documentOf(reference, operations), TYPES)));
write('operations.ts', tableOf(operations));

function write(name, text) {
  writeFileSync(new URL(name, target), HEADER + text);
}

/**
 * The reference as the SDK shows it: without errors, which have a single class, and with optional namespaces, because
 * clients have a default.
 */
function documentOf(reference, operations) {
  const paths = {};
  for (const { path, method, operation } of operations) {
    const parameters = operation.parameters?.map((each) =>
      NAMESPACES.includes(each.name) ? { ...each, required: false } : each,
    );
    const responses = Object.fromEntries(
      Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { headers: _, ...response }]) => [status, withoutExamples(response)]),
    );
    (paths[path] ??= {})[method] = { ...operation, parameters, responses };
  }
  return { ...reference, paths, components: { schemas: reference.components.schemas } };
}

function withoutExamples(response) {
  const content = Object.entries(response.content ?? {}).map(([type, { schema }]) => [type, { schema: schema ?? {} }]);
  return content.length > 0 ? { ...response, content: Object.fromEntries(content) } : response;
}

function isFilled({ name, required }) {
  return (required && NAMESPACES.includes(name)) || name === 'Idempotency-Key';
}

/**
 * The parameters that the client fills in: the namespace, if any, and the key of idempotent calls. `?` marks those that
 * it fills in only if it has a namespace. `reads` marks a POST that changes nothing.
 */
function tableOf(operations) {
  const lines = operations
    .map(({ path, method, operation }) => {
      const filter = namespaceFilterOf(operation, method);
      const filters = filter === undefined ? [] : [`${filter}?`];
      const filled = (operation.parameters ?? []).filter(isFilled).map(({ name }) => name);
      const reads = operation['x-reads'] ? ['reads'] : [];
      return [operation.operationId, [method.toUpperCase(), path, ...filled, ...filters, ...reads].join(' ')];
    })
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, call]) => `  '${id}': '${call}',\n`);
  return (
    '/** Method and path of each operation, and the parameters that the client fills in. */\n' +
    `export const OPERATIONS = {\n${lines.join('')}} as const;\n`
  );
}
