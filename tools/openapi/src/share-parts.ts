import type { OpenApiDocument } from './describe-api.js';
import { groupBy } from './group-by.js';
import type { Operation, Parameter, RouteResponse } from './operation-object.js';

type Responses = Operation['responses'];

/** Replaces examples, responses and parameters that several operations have by references to one component. */
export function shareParts(document: OpenApiDocument): OpenApiDocument {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const examples = share('examples', operations.flatMap(examplesOf));
  const withExamples = operations.map((operation) =>
    onResponses(operation, (response) => referring(response, examples)),
  );
  const responses = share('responses', withExamples.flatMap(namedResponses));
  const parameters = share(
    'parameters',
    operations.flatMap((operation) => operation.parameters.map((value) => ({ name: value.name, value }))),
  );
  return {
    ...mapOperations(document, (operation) => ({
      ...onResponses(operation, (response) => responses.reference(referring(response, examples))),
      parameters: operation.parameters.map((each) => parameters.reference({ ...each }) as Parameter),
    })),
    components: {
      ...document.components,
      examples: examples.section,
      responses: { ...document.components.responses, ...responses.section },
      parameters: parameters.section,
    },
  };
}

/** Undoes `shareParts`. The names of shared responses begin with a status. */
export function inlineParts(document: OpenApiDocument): OpenApiDocument {
  const { examples = {}, responses = {}, parameters = {}, ...components } = document.components;
  const own = Object.fromEntries(Object.entries(responses).filter(([name]) => !/^\d/.test(name)));
  const sections: Record<string, Record<string, unknown>> = { examples, responses, parameters };
  const reference = /\{"\$ref":"#\/components\/(examples|parameters|responses(?=\/\d))\/([^"]+)"\}/g;
  const inline = (text: string): string =>
    text.replace(reference, (_, section: string, name: string) => inline(JSON.stringify(sections[section]![name])));
  return JSON.parse(
    inline(JSON.stringify({ ...document, components: { ...components, responses: own } })),
  ) as OpenApiDocument;
}

interface Named {
  name: string;
  value: object;
}

/** Names the values that occur more than once. */
function share(kind: string, values: Named[]) {
  const section: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [text, [{ name, value }, another]] of groupBy(values, (each) => JSON.stringify(each.value))) {
    if (!another) continue;
    const free = freeName(name, section);
    section[free] = value;
    names.set(text, free);
  }
  const reference = <T extends object>(value: T): T | { $ref: string } => {
    const name = names.get(JSON.stringify(value));
    return name === undefined ? value : { $ref: `#/components/${kind}/${name}` };
  };
  return { section, reference };
}

function freeName(name: string, taken: object): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}-${count}`;
    if (!(free in taken)) return free;
  }
}

const contentsOf = (response: Responses[string]) => ('$ref' in response ? [] : Object.values(response.content ?? {}));

const examplesOf = ({ responses }: Operation): Named[] =>
  Object.values(responses)
    .flatMap(contentsOf)
    .flatMap(({ examples = {} }) => Object.entries(examples).map(([name, value]) => ({ name, value })));

const namedResponses = ({ responses }: Operation): Named[] =>
  Object.entries(responses).flatMap(([status, value]) => {
    if ('$ref' in value) return [];
    const [example] = contentsOf(value).flatMap(({ examples = {} }) => Object.keys(examples));
    const code = /^`([A-Z_]+)`: /.exec(value.description)?.[1];
    return [{ name: `${status}-${example ?? code ?? 'Empty'}`, value }];
  });

/** A response whose examples are references, where they are shared. */
function referring(response: Responses[string], examples: ReturnType<typeof share>): Responses[string] {
  if ('$ref' in response || !response.content) return response;
  const content = mapValues(response.content, (media) =>
    media.examples ? { ...media, examples: mapValues(media.examples, examples.reference) } : media,
  );
  return { ...response, content } as RouteResponse;
}

const onResponses = (operation: Operation, change: (response: Responses[string]) => Responses[string]): Operation => ({
  ...operation,
  responses: mapValues(operation.responses, change),
});

const mapOperations = (document: OpenApiDocument, change: (operation: Operation) => Operation): OpenApiDocument => ({
  ...document,
  paths: mapValues(document.paths, (methods) => mapValues(methods, change)),
});

const mapValues = <T, U>(entries: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, change(value)]));
