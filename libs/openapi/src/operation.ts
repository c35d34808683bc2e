import { oauthErrors, scimErrors } from '@dtplatform/http';
import type { ErrorFormat, ReplySpec, Route } from '@dtplatform/http';
import type { Operation, Reply } from './operation-object.js';
import { mergeOperations } from './merge-operations.js';
import type { Schemas } from './schemas.js';

/**
 * One operation. When several routes share a path and method (chosen by the content type of the request, for example),
 * the document has one operation with the bodies and parameters of all.
 */
export function describeOperation(
  route: Route,
  path: string,
  errorFormat: ErrorFormat | undefined,
  sibling: Operation | undefined,
  schemas: Schemas,
): Operation {
  const [tag = ''] = route.operation.split('.');
  const own: Operation = {
    operationId: route.operation,
    summary: route.summary,
    tags: [tag],
    parameters: [...pathParameters(route, path, schemas), ...queryParameters(route, schemas)],
    ...requestBody(route, schemas),
    responses: { ...replies(route, schemas), default: errorReply(errorFormat) },
    ...(route.auth === 'none' ? { security: [] } : {}),
    ...(route.needs ? { 'x-permission': route.needs.declares } : {}),
    ...(route.callers ? { 'x-callers': route.callers } : {}),
  };
  return sibling ? mergeOperations(sibling, own) : own;
}

function pathParameters(route: Route, path: string, schemas: Schemas): object[] {
  const declared = propertiesOf(route.params, `${route.operation}.path`, schemas);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: declared.properties[name] ?? { type: 'string' },
  }));
}

function queryParameters(route: Route, schemas: Schemas): object[] {
  const { properties, required } = propertiesOf(route.query, `${route.operation}.query`, schemas);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function propertiesOf(schema: Route['query'], name: string, schemas: Schemas) {
  const { properties = {}, required = [] } = (schema ? schemas.input(schema, name) : {}) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return { properties, required };
}

function requestBody(route: Route, schemas: Schemas): Pick<Operation, 'requestBody'> {
  if (route.body) {
    const schema = schemas.input(route.body, `${route.operation}.body`);
    return { requestBody: { required: true, content: { 'application/json': { schema } } } };
  }
  if (!route.streamedBody) return {};
  const schema = route.streamedBody.startsWith('multipart/') ? { type: 'object' } : {};
  return { requestBody: { required: true, content: { [route.streamedBody]: { schema } } } };
}

const replies = (route: Route, schemas: Schemas) =>
  Object.fromEntries(
    Object.entries(route.replies).map(([status, spec]) => [status, reply(route, status, spec, schemas)]),
  );

function reply(route: Route, status: string, spec: ReplySpec, schemas: Schemas): Reply {
  if (spec === null) return { description: DESCRIPTIONS[status] ?? 'Done, no body.' };
  if ('contentType' in spec) return { description: spec.description, content: { [spec.contentType]: {} } };
  const schema = schemas.output(spec, `${route.operation}.${status}`);
  return { description: DESCRIPTIONS[status] ?? 'Done.', content: { 'application/json': { schema } } };
}

const DESCRIPTIONS: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; `Location` is where the state can be read.',
  204: 'Done, no body.',
};

function errorReply(format: ErrorFormat | undefined): Reply {
  const name = format === scimErrors ? 'ScimError' : format === oauthErrors ? 'OAuthError' : 'Error';
  const contentType = (format?.contentType ?? 'application/json').split(';')[0]!;
  return { description: 'Refused.', content: { [contentType]: { schema: { $ref: `#/components/schemas/${name}` } } } };
}
