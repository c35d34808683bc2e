import { groupBy } from './group-by.js';
import type { Components } from './components.js';
import type { Content, Operation, Parameter, RouteResponse } from './operation-object.js';

/**
 * Merges operations with the same path and method, selected by the content type of the request or a parameter: what all
 * require stays required, everything else is an alternative. The extension `x-operations` names them.
 * @throws if they declare different permissions: the description shows one, which the permission matrix proves
 */
export function mergeOperations(variants: Operation[], components: Components): Operation {
  const [first, ...others] = variants as [Operation, ...Operation[]];
  if (others.length === 0) return first;
  const permissions = new Set(variants.map((variant) => JSON.stringify(variant['x-permission'])));
  if (permissions.size > 1) throw new Error(`${first.operationId} and its variants declare different permissions`);
  const bodies = variants.map(({ requestBody }) => requestBody);
  const content = mergeContent(bodies.map((body) => body?.content));
  const { requestBody: _body, ...rest } = first;
  return {
    ...rest,
    summary: variants.map(({ summary }) => summary.replace(/\.$/, '')).join(' / '),
    description: `One of:\n\n${variants.map((variant) => `- ${textOf(variant)}`).join('\n')}`,
    tags: [...new Set(variants.flatMap(({ tags }) => tags))],
    parameters: mergeParameters(variants),
    ...(content ? { requestBody: { required: bodies.every((body) => body?.required), content } } : {}),
    responses: mergeResponses(variants, components),
    'x-operations': variants.map(({ operationId }) => operationId),
  };
}

const textOf = ({ summary, description = '' }: Operation) =>
  `${summary} ${description.replaceAll('\n\n', ' ')}`.trimEnd();

function mergeParameters(variants: Operation[]): Parameter[] {
  const byName = groupBy(
    variants.flatMap(({ parameters, summary }) => parameters.map((parameter) => ({ parameter, summary }))),
    ({ parameter }) => `${parameter.in} ${parameter.name}`,
  );
  return [...byName.values()].map((uses) => {
    const { parameter } = uses[0];
    const required = uses.length === variants.length && uses.every((use) => use.parameter.required);
    const needing = required ? [] : uses.filter((use) => use.parameter.required);
    const schema = alternatives(uses.map((use) => use.parameter.schema));
    return { ...parameter, ...describeNeed(parameter, needing), required, schema };
  });
}

/** Names the operations that need a parameter that others do not need. */
function describeNeed({ description }: Parameter, needing: { summary: string }[]): { description?: string } {
  if (needing.length === 0 || description === undefined) return {};
  return { description: `${description} Required by: ${needing.map(({ summary }) => summary).join(' ')}` };
}

function mergeResponses(variants: Operation[], components: Components): Operation['responses'] {
  const all = variants.flatMap(({ responses }) => Object.entries(responses));
  const merged = [...groupBy(all, ([status]) => status)].map(([status, list]) => {
    const different = [...new Map(list.map(([, reply]) => [JSON.stringify(reply), reply])).values()];
    return [status, different.length === 1 ? different[0] : mergeResponse(different.map(resolve))];
  });
  return Object.fromEntries(merged) as Operation['responses'];

  function resolve(response: RouteResponse | { $ref: string }): RouteResponse {
    if (!('$ref' in response)) return response;
    return components.sections.responses[response.$ref.split('/').at(-1)!] as unknown as RouteResponse;
  }
}

function mergeResponse(responses: RouteResponse[]): RouteResponse {
  const content = mergeContent(responses.map((response) => response.content));
  return {
    description: [...new Set(responses.flatMap(({ description }) => description.split('\n\n')))].join('\n\n'),
    headers: mergeHeaders(responses.map(({ headers = {} }) => headers)),
    ...(content ? { content } : {}),
  };
}

/** A header that some responses lack is optional. */
function mergeHeaders(variants: NonNullable<RouteResponse['headers']>[]): RouteResponse['headers'] {
  const merged = Object.assign({}, ...variants) as NonNullable<RouteResponse['headers']>;
  const isInAll = (name: string) => variants.every((headers) => name in headers);
  return Object.fromEntries(
    Object.entries(merged).map(([name, header]) => [name, isInAll(name) ? header : { ...header, required: false }]),
  );
}

function mergeContent(contents: (Content | undefined)[]): Content | undefined {
  const byType = groupBy(
    contents.flatMap((content) => Object.entries(content ?? {})),
    ([type]) => type,
  );
  if (byType.size === 0) return undefined;
  return Object.fromEntries(
    [...byType].map(([type, list]) => {
      const schemas = list.flatMap(([, { schema }]) => (schema ? [schema] : []));
      const examples = Object.assign({}, ...list.map(([, media]) => media.examples)) as object;
      return [
        type,
        {
          ...(schemas.length > 0 ? { schema: alternatives(schemas) } : {}),
          ...(Object.keys(examples).length > 0 ? { examples: examples as Content[string]['examples'] } : {}),
        },
      ];
    }),
  );
}

/** Not `oneOf`: a field that one schema requires may be an additional one of another. */
function alternatives(schemas: object[]): object {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? different[0]! : { anyOf: different };
}
