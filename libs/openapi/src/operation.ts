import { oauthErrors, scimErrors } from '@dtplatform/http';
import type { ErrorFormat, ReplySpec, Route } from '@dtplatform/http';
import { z } from 'zod';

/** An Operation Object of OpenAPI 3.1. */
export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: object[];
  requestBody?: { required: boolean; content: Record<string, object> };
  responses: Record<string, object>;
  [extension: string]: unknown;
}

/**
 * One operation. When a path and method have several (chosen by the request's form), they are one in the document: their
 * bodies and parameters side by side.
 */
export function describeOperation(
  route: Route,
  path: string,
  errorFormat: ErrorFormat | undefined,
  sibling: Operation | undefined,
): Operation {
  const [tag = ''] = route.operation.split('.');
  const own: Operation = {
    operationId: route.operation,
    summary: route.summary,
    tags: [tag],
    parameters: [...pathParameters(path), ...queryParameters(route)],
    ...requestBody(route),
    responses: { ...replies(route), default: errorReply(errorFormat) },
    ...(route.auth === 'none' ? { security: [] } : {}),
    ...(route.needs ? { 'x-permission': route.needs.action } : {}),
    ...(route.callers ? { 'x-callers': route.callers } : {}),
  };
  return sibling ? merge(sibling, own) : own;
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters(route: Route): object[] {
  if (!route.query) return [];
  const schema = inputSchema(route.query) as { properties?: Record<string, object>; required?: string[] };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }));
}

function requestBody(route: Route): Pick<Operation, 'requestBody'> {
  if (route.body)
    return { requestBody: { required: true, content: { 'application/json': { schema: inputSchema(route.body) } } } };
  if (!route.streamedBody) return {};
  const schema = route.streamedBody.startsWith('multipart/') ? { type: 'object' } : {};
  return { requestBody: { required: true, content: { [route.streamedBody]: { schema } } } };
}

const replies = (route: Route) =>
  Object.fromEntries(Object.entries(route.replies).map(([status, spec]) => [status, reply(status, spec)]));

function reply(status: string, spec: ReplySpec): object {
  if (spec === null) return { description: DESCRIPTIONS[status] ?? 'Done, no body.' };
  if ('contentType' in spec) return { description: spec.description, content: { [spec.contentType]: {} } };
  return {
    description: DESCRIPTIONS[status] ?? 'Done.',
    content: { 'application/json': { schema: outputSchema(spec) } },
  };
}

const DESCRIPTIONS: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; `Location` tells where the state can be read.',
  204: 'Done, no body.',
};

function errorReply(format: ErrorFormat | undefined): object {
  const name = format === scimErrors ? 'ScimError' : format === oauthErrors ? 'OAuthError' : 'Error';
  const contentType = (format?.contentType ?? 'application/json').split(';')[0]!;
  return { description: 'Refused.', content: { [contentType]: { schema: { $ref: `#/components/schemas/${name}` } } } };
}

const inputSchema = (schema: z.ZodType) =>
  withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
const outputSchema = (schema: z.ZodType) =>
  withoutDialect(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }));

function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): object {
  return schema;
}

function merge(first: Operation, second: Operation): Operation {
  const parameters = [...(first.parameters ?? []), ...(second.parameters ?? [])] as {
    name: string;
    required: boolean;
  }[];
  const byName = new Map<string, object>();
  for (const parameter of parameters) {
    const inBoth = parameters.filter(({ name }) => name === parameter.name).length > 1;
    byName.set(parameter.name, { ...parameter, required: parameter.required && inBoth });
  }
  const content = { ...first.requestBody?.content, ...second.requestBody?.content };
  return {
    ...first,
    summary: `${first.summary} / ${second.summary}`,
    parameters: [...byName.values()],
    ...(Object.keys(content).length > 0 ? { requestBody: { required: false, content } } : {}),
    responses: { ...first.responses, ...second.responses },
  };
}
