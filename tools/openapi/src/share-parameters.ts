import type { OpenApiDocument } from './describe-api.js';
import { groupBy } from './group-by.js';
import type { Operation, Parameter } from './operation-object.js';

const PREFIX = '#/components/parameters/';

/** Replaces parameters that several operations have by references to one component. */
export function shareParameters(document: OpenApiDocument): OpenApiDocument {
  const uses = groupBy(
    operationsIn(document).flatMap(({ parameters }) => parameters),
    (parameter) => JSON.stringify(parameter),
  );
  const shared: Record<string, Parameter> = {};
  const names = new Map<string, string>();
  for (const [text, [parameter, another]] of uses) {
    if (!another) continue;
    const name = freeName(parameter.name, shared);
    shared[name] = parameter;
    names.set(text, name);
  }
  const reference = (parameter: Parameter) => {
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : ({ $ref: `${PREFIX}${name}` } as unknown as Parameter);
  };
  const { components } = document;
  return { ...withParameters(document, reference), components: { ...components, parameters: shared } };
}

/** Undoes `shareParameters`. */
export function inlineParameters(document: OpenApiDocument): OpenApiDocument {
  const { parameters: shared = {}, ...components } = document.components;
  const resolve = (parameter: Parameter & { $ref?: string }) =>
    parameter.$ref === undefined ? parameter : (shared[parameter.$ref.slice(PREFIX.length)] as Parameter);
  return { ...withParameters(document, resolve), components };
}

function freeName(name: string, taken: object): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}-${count}`;
    if (!(free in taken)) return free;
  }
}

const operationsIn = ({ paths }: OpenApiDocument): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

function withParameters(document: OpenApiDocument, change: (parameter: Parameter) => Parameter): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        { ...operation, parameters: operation.parameters.map((each) => ({ ...change(each) })) },
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
}
