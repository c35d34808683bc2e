import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type DescribedOperation,
  jsonBodyOf,
  needsToken,
  operations,
  pathOf,
  requiredQuery,
  resolveSchema,
  takesJson,
} from './support/openapi.js';
import { enter, openWorkspace, type Person, trustedToken } from './support/people.js';
import { type RouteResponse, type Request, send, SERVICES } from './support/platform.js';

/** Platform calls that succeed again once there is nothing left to remove. */
const REPEATABLE = new Set(['permissions.removeUser', 'permissions.removeApp']);

/** A marker in the input that a response must never contain. */
const MARK = 'zz_sent_by_the_test_zz';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A description of the request, its operation and the response. */
type Case = [name: string, operation: DescribedOperation, reply: Promise<RouteResponse>];

/** Every operation of every API description, with invalid input. */
describe.each(SERVICES)('malformed requests to %s', (service) => {
  const own = operations.filter((operation) => operation.service === service);
  const guarded = own.filter(needsToken);
  const withBody = guarded.filter(takesJson);
  let user: Person;
  let trusted: string;
  let namespace: string;

  beforeAll(async () => {
    [user, trusted] = await Promise.all([enter(), trustedToken()]);
    namespace = await openWorkspace(user);
  });

  const tokenFor = (operation: DescribedOperation) =>
    operation['x-callers']?.includes('user') === false ? trusted : user.token;
  const sendBad = (operation: DescribedOperation, request: Request, path = pathOf(operation)) => {
    const query = request.query ?? requiredQuery(operation, namespace);
    return send(operation.method, path, { token: tokenFor(operation), ...request, query });
  };
  /** Reports all problems together, each with its operation. */
  const expectRejected = async (cases: Case[]) => {
    const problems: string[] = [];
    for (const [name, operation, reply] of cases) {
      const problem = notRejected(operation, await reply);
      if (problem) problems.push(`${operation.operationId}, ${name}: ${problem}`);
    }
    expect(problems).toEqual([]);
  };

  it('are rejected for bodies that are not JSON, or JSON of the wrong type', async () => {
    const bodies: Record<string, string> = {
      'broken JSON': `{"_name": "${MARK}`,
      'a string': JSON.stringify(MARK),
      'a number': '42',
      'no UTF-8': '{"_name": "\u00ff',
    };
    await expectRejected(
      withBody.flatMap((operation) =>
        Object.entries(bodies).map(([name, body]): Case => [
          name,
          operation,
          sendBad(operation, { headers: JSON_TYPE, body: Buffer.from(body, 'latin1') }),
        ]),
      ),
    );
  });

  it('are rejected for fields of the wrong type', async () => {
    const cases = withBody.flatMap((operation): Case[] => {
      const body = wrongBody(operation);
      return body === undefined ? [] : [['wrong fields', operation, sendBad(operation, { json: body })]];
    });
    await expectRejected(cases);
  });

  it('are rejected without required query parameters', async () => {
    const cases = guarded.flatMap((operation): Case[] => {
      const query = requiredQuery(operation, namespace);
      return Object.keys(query).map((name): Case => {
        const { [name]: _left, ...others } = query;
        return [`without ${name}`, operation, sendBad(operation, { query: others })];
      });
    });
    await expectRejected(cases);
  });

  it('are rejected for paging parameters that are not whole numbers', async () => {
    const cases = guarded.flatMap((operation): Case[] =>
      (operation.parameters ?? [])
        .filter(({ name }) => name === '_offset' || name === '_pageSize')
        .flatMap(({ name }) =>
          ['abc', '-1', '1.5', '', MARK].map((value): Case => [
            `${name}=${value}`,
            operation,
            sendBad(operation, { query: { ...requiredQuery(operation, namespace), [name]: value } }),
          ]),
        ),
    );
    await expectRejected(cases);
  });

  it('are a 404 for ids that do not exist or cannot exist', async () => {
    const ids = ['ffffffffffffffffffffffff', MARK, '%24ne', '..%2F..%2Fetc', '%00', 'a'.repeat(300), "'%22%3C"];
    // A body is validated before any lookup.
    const withoutBody = guarded.filter((operation) => !takesJson(operation) && !REPEATABLE.has(operation.operationId));
    const byId = withoutBody.filter(({ path, method }) => path.includes('{id}') && ['GET', 'DELETE'].includes(method));
    const cases = byId.flatMap((operation) =>
      ids.map((id): Case => [`id ${id.slice(0, 30)}`, operation, sendBad(operation, {}, pathOf(operation, id))]),
    );
    await expectRejected(cases);
    for (const [name, operation, reply] of cases) {
      // Proxies reject a NUL themselves, with a 400.
      const allowed = name === 'id %00' ? [400, 404] : [404];
      const { status } = await reply;
      const outcome = allowed.includes(status) ? 'refused' : status;
      expect([operation.operationId, name, outcome]).toEqual([operation.operationId, name, 'refused']);
    }
  });

  it('are rejected for broken paths, unknown paths and unknown methods', async () => {
    const broken = await send('GET', `/${service}/api/v1/%E0%A4%A`, { token: user.token });
    expect([400, 404]).toContain(broken.status);
    const unknown = await send('GET', `/${service}/api/v1/nothing-here`, { token: user.token });
    expect(unknown).toMatchObject({ status: 404, body: { status: 404, requestId: expect.any(String) } });
    const method = await send('DELETE', `/${service}/api/v1/openapi.json`, { token: user.token });
    expect(method).toMatchObject({ status: 405, body: { status: 405, code: expect.any(String) } });
    expect(method.headers.get('allow')).toContain('GET');
  });

  it('are rejected for a body that is too long', async () => {
    const [operation] = withBody;
    if (operation === undefined) return;
    const body = `["${'x'.repeat(12 * 1024 * 1024)}"]`;
    const response = await sendBad(operation, { headers: JSON_TYPE, body });
    expect([operation.operationId, response.status]).toEqual([operation.operationId, 413]);
  });
});

describe('malformed requests to the OAuth endpoints', () => {
  const TOKEN = '/passportsvc/api/v1/oauth/token';
  const form = (parameters: Record<string, string>) => ({ body: new URLSearchParams(parameters) });
  const bad: [name: string, request: Request][] = [
    ['nothing', {}],
    ['an unknown grant', form({ grant_type: MARK })],
    ['a code that was never given', form({ grant_type: 'authorization_code', code: MARK, client_id: MARK })],
    ['JSON', { json: { grant_type: 'client_credentials' } }],
    [
      'broken Basic credentials',
      { ...form({ grant_type: 'client_credentials' }), headers: { authorization: 'Basic !' } },
    ],
    ['no form', { body: `\u0000${MARK}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ];

  it.each(bad)('%s at the token endpoint is rejected in the format of RFC 6749', async (_name, request) => {
    const response = await send('POST', TOKEN, request);
    expect([400, 401, 403]).toContain(response.status);
    expect(response.body).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/) });
    expect(JSON.stringify(response.body)).not.toContain(MARK);
    expect(response.headers.get('cache-control')).toContain('no-store');
  });
});

/** The problem of a response that should be a rejection; undefined if there is none. */
function notRejected(
  { method, errors }: DescribedOperation,
  { status, headers, body }: RouteResponse,
): string | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (status < 400 || status > 499) return `${status} ${text.slice(0, 300)}`;
  if (method === 'HEAD') return undefined;
  if (text.includes(MARK)) return `${status} echoes what was sent: ${text}`;
  const type = headers.get('content-type') ?? '';
  const isInFormat = {
    platform: () => type.startsWith('application/json') && body.status === status && body.code && body.requestId,
    scim: () =>
      type.startsWith('application/scim+json') && body.status === String(status) && body.schemas?.length === 1,
    oauth: () => type.startsWith('application/json') && typeof body.error === 'string',
  }[errors]();
  return isInFormat ? undefined : `${status} in another form (${type}): ${text.slice(0, 300)}`;
}

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

/** A body whose required fields all have the wrong type; undefined if the description requires none. */
function wrongBody(operation: DescribedOperation): unknown {
  // The response reports each entry.
  if (operation['x-permission']?.rule === 'entries') return undefined;
  const declared: Schema = jsonBodyOf(operation)!.schema!;
  const schema = resolveSchema(operation.service, declared);
  const object = schema.type === 'array' ? resolveSchema(operation.service, schema.items!) : schema;
  const required = object.required ?? [];
  if (required.length === 0) return undefined;
  const wrong = Object.fromEntries(
    required.map((name) => [name, object.properties?.[name]?.type === 'string' ? { [MARK]: 1 } : MARK]),
  );
  return schema.type === 'array' ? [wrong] : wrong;
}
