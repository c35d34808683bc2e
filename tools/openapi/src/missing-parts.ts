import type { OpenApiDocument } from './describe-api.js';
import type { Operation, RouteResponse } from './operation-object.js';

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/**
 * The gaps of a reference: parameters, properties, components and tags without a description, and operations with JSON
 * responses but no example. Ignores aliases.
 */
export function missingParts(document: OpenApiDocument): string[] {
  const { paths, components, tags } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-alias-of'] === undefined)
      .map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, operation })),
  );
  const schemas = Object.entries((components.schemas ?? {}) as Record<string, Schema>);
  return [
    ...tags.filter((tag) => !tag.description).map(({ name }) => `tag ${name}: description`),
    ...operations.flatMap(({ place, operation }) => inOperation(operation).map((missing) => `${place}: ${missing}`)),
    ...schemas.flatMap(([name, schema]) => [
      ...(schema.description ? [] : [`schema ${name}: description`]),
      ...missingInSchema(schema, `schema ${name}`),
    ]),
  ];
}

function inOperation({ parameters, requestBody, responses }: Operation): string[] {
  return [
    ...parameters.filter((each) => !each.description).map(({ name }) => `description of the parameter ${name}`),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => missingInSchema(schema, 'request')),
    ...Object.entries(responses).flatMap(([status, reply]) => inResponse(status, reply)),
  ];
}

function inResponse(status: string, response: RouteResponse | { $ref: string }): string[] {
  if ('$ref' in response) return [];
  return Object.entries(response.content ?? {}).flatMap(([type, { schema, examples }]) => [
    ...missingInSchema(schema, status),
    ...(type.endsWith('json') && Number(status) < 300 && !examples ? [`example of ${status}`] : []),
  ]);
}

interface DescribedMessages {
  components: { messages: Record<string, { payload: Schema }>; schemas: Record<string, Schema> };
}

/** The fields of messages without a description. */
export function missingInMessages({ components: { messages, schemas } }: DescribedMessages): string[] {
  const payloads = Object.entries(messages).map(([name, { payload }]) => [name, payload] as const);
  return [...payloads, ...Object.entries(schemas)].flatMap(([name, schema]) => missingInSchema(schema, name));
}

/** The properties without a description, neither their own nor that of their component. */
function missingInSchema(schema: Schema | undefined, place: string): string[] {
  if (!schema) return [];
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const further = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(property.description || property.$ref ? [] : [`description of ${place}.${name}`]),
      ...missingInSchema(property, `${place}.${name}`),
    ]),
    ...missingInSchema(items, `${place}[]`),
    ...[...further, ...anyOf, ...oneOf, ...allOf].flatMap((each) => missingInSchema(each, place)),
  ];
}
