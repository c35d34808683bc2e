import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';

export interface ScimUser extends Record<string, unknown> {
  id: string;
  userName: string;
  externalId?: string;
}

export interface ReceivedCall {
  method: string;
  path: string;
  contentType?: string;
  body?: Record<string, unknown>;
}

type Fault = (call: ReceivedCall, res: ServerResponse, proceed: () => void) => void;

const CREDENTIALS = { id: 'platform client', secret: 'a secret: with %-signs' };
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

interface Options {
  credentialsIn?: 'header' | 'body';
  expiresIn?: number;
}

/** A SCIM server with users in memory and its own token endpoint, both of which accept faults. */
export async function startScimServer({ credentialsIn = 'header', expiresIn = 300 }: Options = {}) {
  const users = new Map<string, ScimUser>();
  const calls: ReceivedCall[] = [];
  const tokens = new Set<string>();
  const state = { fault: undefined as Fault | undefined, tokenFault: undefined as Fault | undefined, tokenRequests: 0 };

  const server = createServer((req, res) => void answer(req, res).catch(() => res.writeHead(500).end()));

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [method, path] = [req.method!, req.url!];
    if (path.startsWith('/token')) return answerToken(req, res);
    const hasBody = method === 'POST' || method === 'PUT';
    const body = hasBody ? ((await json(req)) as Record<string, unknown>) : undefined;
    const call = { method, path, contentType: req.headers['content-type'], body };
    calls.push(call);
    const proceed = () => {
      if (!tokens.has(req.headers.authorization?.replace('Bearer ', '') ?? '')) return void res.writeHead(401).end();
      answerUsers(call, res);
    };
    if (state.fault) state.fault(call, res, proceed);
    else proceed();
  }

  async function answerToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
    state.tokenRequests += 1;
    const parameters = [...new URL(req.url!, 'http://scim').searchParams, ...new URLSearchParams(await text(req))];
    const form = Object.fromEntries(parameters);
    if (Object.keys(form).length < parameters.length) return void sendJson(res, 400, { error: 'invalid_request' });
    const proceed = () => {
      const sent = credentialsIn === 'header' ? fromHeader(req) : { id: form.client_id, secret: form.client_secret };
      const isRight = sent.id === CREDENTIALS.id && sent.secret === CREDENTIALS.secret;
      const isGrant = form.grant_type === 'client_credentials' && form.scope === 'scim';
      if (!isRight || !isGrant) return void sendJson(res, 401, { error: 'invalid_client' });
      const token = randomUUID();
      tokens.add(token);
      sendJson(res, 200, { access_token: token, token_type: 'bearer', expires_in: expiresIn });
    };
    if (state.tokenFault) state.tokenFault({ method: 'POST', path: '/token', body: form }, res, proceed);
    else proceed();
  }

  function answerUsers({ method, path, body }: ReceivedCall, res: ServerResponse): void {
    const url = new URL(path, 'http://scim');
    const id = decodeURIComponent(url.pathname.split('/')[3] ?? '');
    if (method === 'GET') return void sendJson(res, 200, listOf(url.searchParams.get('filter') ?? ''));
    if (method === 'POST') {
      const isTaken = [...users.values()].some(({ userName }) => userName === body!.userName);
      if (isTaken) return void sendJson(res, 409, { status: '409', scimType: 'uniqueness' });
      const user = { ...body, id: `remote/${users.size + 1} ${randomUUID()}` } as ScimUser;
      users.set(user.id, user);
      return void sendJson(res, 201, user);
    }
    if (!users.has(id)) return void sendJson(res, 404, { status: '404' });
    if (method === 'DELETE') {
      users.delete(id);
      return void res.writeHead(204).end();
    }
    users.set(id, { ...body, id } as ScimUser);
    sendJson(res, 200, users.get(id));
  }

  function listOf(filter: string) {
    const [, attribute, value] = /^(externalId|userName) eq "(.*)"$/.exec(filter) ?? [];
    const Resources = [...users.values()].filter((user) => attribute !== undefined && user[attribute] === value);
    return { schemas: [LIST], totalResults: Resources.length, startIndex: 1, Resources };
  }

  let port = 0;
  async function listen(): Promise<void> {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  }
  async function close(): Promise<void> {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  }
  await listen();
  const url = `http://127.0.0.1:${port}`;

  return {
    users,
    calls,
    state,
    registration: {
      baseUrl: `${url}/v2/Users`,
      tokenUrl: `${url}/token`,
      clientId: CREDENTIALS.id,
      clientSecret: CREDENTIALS.secret,
    },
    userOf: (externalId: string) => [...users.values()].filter((user) => user.externalId === externalId),
    /** The methods of calls about a user, in order. */
    methodsOf: (externalId: string) =>
      calls.filter(({ body }) => body?.externalId === externalId).map(({ method }) => method),
    /** Invalidates all tokens. */
    revokeTokens: () => tokens.clear(),
    goDown: close,
    comeBack: listen,
    close,
  };
}

export type ScimTestServer = Awaited<ReturnType<typeof startScimServer>>;

/** Both parts are form-encoded (RFC 6749). */
function fromHeader({ headers }: IncomingMessage) {
  const basic = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
  const [id, secret] = basic.split(':').map((part) => new URLSearchParams(`x=${part}`).get('x'));
  return { id, secret };
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/scim+json' }).end(JSON.stringify(body));
}
