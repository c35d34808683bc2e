import { request } from 'node:http';
import type { IncomingHttpHeaders, RequestOptions } from 'node:http';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import supertest from 'supertest';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger, silentLogger } from '@dtplatform/logging';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import { bearerAuthentication, createHttpApp, documents, listen, portOf } from '../src/index.js';
import type { HttpAppOptions, ListenOptions, RouteTable } from '../src/index.js';

type Options = Partial<Omit<HttpAppOptions, 'mounts'>> & {
  mounts?: HttpAppOptions['mounts'];
  server?: Partial<ListenOptions>;
};

/** Tokens of these tests are `<kind>-<id>`; any other is rejected. */
const authenticate = bearerAuthentication(
  (token) => {
    const [kind, id] = token.split('-');
    if (!id) throw commonErrors.unauthorized({ tokenSent: true });
    return { kind, id } as Principal;
  },
  async (principal) => ({ principal }) as Access,
);

const basics = { summary: '-', responses: { 200: null } };
/** An operation without authentication, to which a test adds what it needs. */
export const anybody = (operation: string) => ({ ...basics, operation, auth: 'none' as const });
/** The same for every authenticated caller. */
export const anyCaller = (operation: string) => ({ ...basics, operation, needs: documents({ rule: 'anyone' }) });

/** A real server with the given tables below `/api`. */
export async function startApi(tables: RouteTable[], { server: serverOptions, ...options }: Options = {}) {
  const log = options.log ?? silentLogger();
  const lifecycle = createLifecycle({ log, graceMs: 3000 });
  const app = createHttpApp({
    authenticate,
    log,
    mounts: [{ prefix: '/api', tables }],
    checksDeclarations: true,
    ...options,
  });
  const server = await listen(app, { name: 'api', host: '127.0.0.1', port: 0, lifecycle, ...serverOptions });
  const port = portOf(server);
  return {
    port,
    server,
    lifecycle,
    api: supertest(`http://127.0.0.1:${port}`),
    /** Sends exactly this, without the corrections of a client library. */
    send: (path: string, more: RequestOptions & { body?: string | Buffer } = {}) => send(port, path, more),
    stop: () => lifecycle.stop('the test is over'),
  };
}

interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

function send(port: number, path: string, { body, ...options }: RequestOptions & { body?: string | Buffer }) {
  return new Promise<RawResponse>((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, ...options }, (res) => {
      text(res).then(
        (response) => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: response }),
        reject,
      );
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** A logger that records its entries. */
export function recordingLogger(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { log: createLogger({ service: 'test', level: 'info', stream }), lines };
}
