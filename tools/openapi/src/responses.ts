import type { ErrorDefinition } from '@dtplatform/errors';
import {
  errorsOf,
  idempotencyReplayed,
  ignoredHeader,
  isRead,
  oauthErrors,
  platformErrors,
  preferenceAppliedHeader,
  responseHeadersOf,
  retryAfterHeader,
  scimErrors,
  takesPreferences,
} from '@dtplatform/http';
import type { ErrorFormat, HeaderSpec, ResponseSpec, Route } from '@dtplatform/http';
import type { Components } from './components.js';
import { groupBy } from './group-by.js';
import type { Content, Operation, RouteResponse } from './operation-object.js';
import type { Schemas } from './schemas.js';

interface Context {
  route: Route;
  format: ErrorFormat;
  schemas: Schemas;
  components: Components;
}

/** The declared responses of a route, and its errors by status. */
export function responsesOf(context: Context): Operation['responses'] {
  const { route } = context;
  const declared = Object.entries(route.responses).map(([status, spec]) => [
    status,
    success(context, Number(status), spec),
  ]);
  return {
    ...(Object.fromEntries(declared) as Operation['responses']),
    ...notModified(context),
    ...errorResponses(context),
  };
}

/** The type of JSON bodies; SCIM has a separate one (RFC 7644, section 3.1). */
export const jsonTypeOf = (format: ErrorFormat): string =>
  format === scimErrors ? mediaType(format) : 'application/json';

const mediaType = ({ contentType }: ErrorFormat) => contentType.split(';')[0]!;

function success(context: Context, status: number, spec: ResponseSpec): RouteResponse {
  const { route, format } = context;
  const headers = headersObject(context, responseHeadersOf(route, status));
  const description = DESCRIPTIONS[status] ?? 'The operation succeeded.';
  // The response to a HEAD has only the headers.
  if (spec === null || route.method === 'head') return { description, headers };
  const body = 'contentType' in spec ? spec : { contentType: jsonTypeOf(format), description, schema: spec };
  const schema = body.schema && context.schemas.output(body.schema, `${route.operation}.${status}`);
  return { description: body.description, headers, content: { [body.contentType]: schema ? { schema } : {} } };
}

const DESCRIPTIONS: Record<number, string> = {
  200: 'The operation succeeded.',
  201: 'The resource was created.',
  202: 'The work was accepted and continues.',
  204: 'The operation succeeded; there is no body.',
  206: 'The requested ranges.',
  303: 'The browser continues at `Location`.',
  304: 'The caller already has the current state; there is no body.',
};

function notModified(context: Context): Operation['responses'] {
  const { route } = context;
  if (!route.etag || !isRead(route)) return {};
  return { 304: { description: DESCRIPTIONS[304]!, headers: headersObject(context, responseHeadersOf(route, 200)) } };
}

function headersObject({ route, schemas, components }: Context, specs: HeaderSpec[]): Record<string, object> {
  const all = [...specs, ...(takesPreferences(route) ? OF_PREFERENCES : [])];
  const headers = all.map((spec) => {
    const isShared = SHARED.includes(spec);
    const header = { ...headerObject(spec, schemas, isShared ? 'headers' : route.operation) };
    return [spec.name, isShared ? components.add('headers', spec.name, header) : header] as const;
  });
  return { ...Object.fromEntries(headers), 'X-Request-Id': components.add('headers', 'X-Request-Id', REQUEST_ID) };
}

const OF_PREFERENCES: HeaderSpec[] = [ignoredHeader, preferenceAppliedHeader];
const SHARED = [...OF_PREFERENCES, idempotencyReplayed];

const headerObject = ({ name, description, required, schema }: HeaderSpec, schemas: Schemas, place: string) => ({
  description,
  required,
  schema: schemas.output(schema, `${place}.${name}`),
});

const REQUEST_ID = {
  description: 'The id of the request, which also appears in the logs: the one sent by the caller, or a new one.',
  required: true,
  schema: { type: 'string' },
};
const WWW_AUTHENTICATE = {
  description: 'How to authenticate (RFC 6750, section 3).',
  required: false,
  schema: { type: 'string' },
};

/** An error with one code is the same in all operations, so it is a component. */
function errorResponses(context: Context): Operation['responses'] {
  const byStatus = groupBy(errorsOf(context.route), ({ status }) => status);
  const replies = [...byStatus].map(([status, definitions]) => {
    const response = errorResponse(context, status, definitions);
    const page = pageOf(context, status);
    if (page) return [status, { ...response, content: { ...response.content, ...page } }];
    const [{ code }, ...others] = definitions;
    const bodiless = context.route.method === 'head' ? 'WithoutBody' : '';
    const name = `${pascalCase(code)}${SUFFIXES.get(context.format) ?? 'Page'}${bodiless}`;
    return [status, others.length > 0 ? response : context.components.add('responses', name, { ...response })];
  });
  return Object.fromEntries(replies) as Operation['responses'];
}

/** The HTML page of a route that may respond with an error or a page for people. */
function pageOf({ route, format }: Context, status: number): Content | undefined {
  const declared = route.responses[status];
  if (!declared || !('contentType' in declared) || declared.contentType === mediaType(format)) return undefined;
  return { [declared.contentType]: {} };
}

const SUFFIXES = new Map([
  [platformErrors, ''],
  [scimErrors, 'Scim'],
  [oauthErrors, 'OAuth'],
]);

const pascalCase = (code: string) =>
  code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const RETRYABLE = new Set([429, 502, 503, 504]);

function errorResponse(context: Context, status: number, definitions: ErrorDefinition[]): RouteResponse {
  const { route, format, schemas, components } = context;
  const { name } = retryAfterHeader;
  const add = (key: string, header: object) => components.add('headers', key, header as Record<string, unknown>);
  return {
    description: definitions.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    headers: {
      ...(RETRYABLE.has(status) ? { [name]: add(name, headerObject(retryAfterHeader, schemas, 'errors')) } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': add('WWW-Authenticate', WWW_AUTHENTICATE) } : {}),
      'X-Request-Id': add('X-Request-Id', REQUEST_ID),
    },
    ...errorContent(format, route, definitions),
  };
}

function errorContent(format: ErrorFormat, { method }: Route, definitions: ErrorDefinition[]): { content?: Content } {
  if (method === 'head') return {};
  const type = mediaType(format);
  return { content: { [type]: type.endsWith('json') ? { schema: errorSchema(format, definitions) } : {} } };
}

/** The possible codes of a status. */
function errorSchema(format: ErrorFormat, definitions: ErrorDefinition[]): object {
  if (format === scimErrors) return { $ref: '#/components/schemas/ScimError' };
  if (format === oauthErrors) return { $ref: '#/components/schemas/OAuthError' };
  const code = { type: 'string', description: 'The error code.', enum: definitions.map((one) => one.code) };
  return { allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { code } }] };
}
