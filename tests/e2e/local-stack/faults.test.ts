import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { silentReport, type ServiceProcess, type Stack, startStack } from '@dtplatform/stack';
import { clientCredentials } from '@dtplatform/stack/client';
import { eventually, startOtlpCollector } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { type Reply, type Request, sendTo, type ServiceName } from '../support/platform.js';

const MINUTES = 60_000;

/** A stack of their own, which traces, and whose backends become unavailable. The last test stops it. */
let collector: Awaited<ReturnType<typeof startOtlpCollector>>;
let stateDir: string;
let stack: Stack;

beforeAll(async () => {
  collector = await startOtlpCollector();
  stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-faults-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const tracing = { ...collector.env, OTEL_BSP_SCHEDULE_DELAY: '200' };
  stack = await startStack({ stateDir, report: silentReport, env: { ...env, ...tracing } });
}, 3 * MINUTES);
afterAll(async () => {
  await stack.stop();
  await collector.close();
  await rm(stateDir, { recursive: true, force: true });
}, MINUTES);

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Uploads a file as part of a trace that the caller began, and gives its ids. */
async function upload() {
  const owner = await enter(stack.dev);
  const namespace = await openWorkspace(owner, stack.dev);
  const requestId = `upload-${randomBytes(8).toString('hex')}`;
  const traceId = randomBytes(16).toString('hex');
  const parentId = randomBytes(8).toString('hex');
  const body = new FormData();
  body.set('_namespaces', namespace);
  body.set('file', new Blob([Buffer.from(PNG, 'base64')]), 'pixel.png');
  const reply = await sendTo(stack.baseUrl, 'POST', '/filesvc/api/v1/files', {
    ...{ token: owner.token, query: { nsfilter: namespace }, body },
    headers: { 'x-request-id': requestId, traceparent: `00-${traceId}-${parentId}-01` },
  });
  expect(reply.status).toBe(201);
  expect(reply.headers.get('x-request-id')).toBe(requestId);
  return { requestId, traceId, parentId };
}

describe('the logs', () => {
  const linesOf = async (process: string) => {
    const text = await readFile(path.join(stateDir, 'logs', `${process}.log`), 'utf8');
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('follow an upload from the gateway to its previews', async () => {
    const { requestId, traceId } = await upload();
    await eventually(async () => {
      for (const [process, line] of [
        ['filesvc', { operation: 'files.upload', status: 201 }],
        ['filesvc-worker', { message: 'previews.make.v1', msg: 'message enqueued' }],
        ['filesvc-worker', { message: 'previews.make.v1', msg: 'job done' }],
      ] as const) {
        const mine = (await linesOf(process)).filter((entry) => entry.requestId === requestId);
        expect(mine).toContainEqual(expect.objectContaining({ ...line, traceId }));
      }
    });
  });

  it('name the code of a refused request', async () => {
    const requestId = `refused-${randomBytes(8).toString('hex')}`;
    const headers = { 'x-request-id': requestId };
    expect((await sendTo(stack.baseUrl, 'GET', '/filesvc/api/v1/files', { headers })).status).toBe(401);
    await eventually(async () => {
      const mine = (await linesOf('filesvc')).filter((entry) => entry.requestId === requestId);
      expect(mine).toMatchObject([{ status: 401, code: 'UNAUTHORIZED' }]);
    });
  });
});

describe('the spans', () => {
  it(
    'of an upload and of its usage, of no other call at that time, are in the trace of the caller',
    async () => {
      const { traceId, parentId } = await upload();
      await eventually(() => {
        const spans = collector.spans.filter((span) => span.traceId === traceId);
        const operation = spans.find(({ name }) => name === 'files.upload');
        expect(operation).toMatchObject({
          ...{ service: 'filesvc', parentSpanId: parentId },
          attributes: { 'http.route': '/filesvc/api/v1/files', 'http.response.status_code': 201 },
        });
        const job = spans.find(({ name }) => name === 'usage.batch.v1');
        expect(job).toMatchObject({ service: 'metricsvc-worker', parentSpanId: operation!.spanId });
      });
    },
    MINUTES,
  );
});

const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

/** Two replicas of filesvc and of itemsvc, called directly. All of them have cached what a caller may do when it ends. */
describe('access that ends is refused by every replica before the call that ended it answers:', () => {
  const replicas: ServiceProcess[] = [];
  let started: ServiceProcess[] = [];
  let owner: Person;
  let member: Person;
  let namespace: string;

  beforeAll(async () => {
    const firsts = stack.services.filter(({ name }) => name === 'filesvc' || name === 'itemsvc');
    started = await Promise.all(firsts.map((first) => first.startReplica()));
    replicas.push(...firsts, ...started);
  }, MINUTES);
  afterAll(() => Promise.all(started.map((replica) => replica.stop())), MINUTES);
  beforeEach(async () => {
    [owner, member] = await Promise.all([enter(stack.dev), enter(stack.dev)]);
    namespace = await openWorkspace(owner, stack.dev);
    const query = { nsfilter: namespace, _name: 'Plans', _namespaces: namespace };
    await must(200, 'POST', '/filesvc/api/v1/files', { token: owner.token, query });
    const item = {
      _name: 'Rooms',
      _shortName: 'rooms',
      _description: '',
      _userType: 'rooms',
      _namespaces: [namespace],
    };
    const json = [{ ...item, _itemClass: 'NamedUserCollection' }];
    await must(201, 'POST', '/itemsvc/api/v1/nameduseritems', {
      token: owner.token,
      query: { nsfilter: namespace },
      json,
    });
  });

  const send = (method: string, target: string, request: Request) => sendTo(stack.baseUrl, method, target, request);
  async function must(status: number, method: string, target: string, request: Request) {
    const reply = await send(method, target, request);
    expect([target, reply.status, reply.body]).toEqual([target, status, reply.body]);
    return reply.body;
  }
  /** What each replica answers: a status, and how many resources a list has. */
  const ask = (token: string) =>
    Promise.all(
      replicas.map(async ({ name, url }) => {
        const target = name.startsWith('filesvc') ? '/filesvc/api/v1/files' : '/itemsvc/api/v1/nameduseritems';
        const { status, body } = await sendTo(url!, 'GET', target, { token, query: { nsfilter: namespace } });
        return status === 200 ? (body._total as number) : status;
      }),
    );
  const grant = async (_user: { _type: string; _id: string }, _actions = ['READ']) => {
    const json = [{ _namespace: namespace, _resourceDesc: { _irn: '*:*:*' }, _user, _actions }];
    const { _list } = await must(200, 'PUT', PERMISSIONS, { token: owner.token, json });
    return _list._success[0]._id as string;
  };
  const SOME = [1, 1, 1, 1];
  const NONE = [0, 0, 0, 0];
  const REFUSED = [401, 401, 401, 401];

  it('a permission that is revoked', async () => {
    for (let times = 0; times < 5; times++) {
      const id = await grant({ _type: 'user', _id: member.id });
      expect(await ask(member.token)).toEqual(SOME);
      await must(204, 'DELETE', `${PERMISSIONS}/${id}`, { token: owner.token });
      expect(await ask(member.token)).toEqual(NONE);
    }
  });

  it('a group that is left', async () => {
    const groups = '/passportsvc/api/v1/usergroups';
    const created = await must(201, 'POST', groups, { token: owner.token, json: [{ _name: 'Readers' }] });
    const groupId = created._list[0]._id as string;
    await grant({ _type: 'usergroup', _id: groupId });
    const members = { token: owner.token, json: [member.id] };
    for (let times = 0; times < 5; times++) {
      await must(200, 'PUT', `${groups}/${groupId}/users`, members);
      expect(await ask(member.token)).toEqual(SOME);
      await must(204, 'DELETE', `${groups}/${groupId}/users`, members);
      expect(await ask(member.token)).toEqual(NONE);
    }
  });

  it('a user who is deactivated', async () => {
    await grant({ _type: 'user', _id: member.id });
    expect(await ask(member.token)).toEqual(SOME);
    const json = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    };
    const token = (await clientCredentials(stack.dev)).access_token;
    await must(200, 'PATCH', `/passportsvc/api/v1/scim/Users/${member.id}`, { token, json });
    expect(await ask(member.token)).toEqual(REFUSED);
  });

  it('an application that is deleted', async () => {
    const token = (await clientCredentials(stack.dev)).access_token;
    const { orgId, redirectUri, admin } = stack.dev;
    const _name = `app-${randomBytes(4).toString('hex')}`;
    const json = { _name, _appOwner: admin.email, _redirectUris: redirectUri, _orgId: orgId };
    const { _id: appId, _secret: appSecret } = await must(201, 'POST', '/passportsvc/api/v1/apps/', { token, json });
    const app = (await clientCredentials({ ...stack.dev, appId, appSecret })).access_token;
    expect(await ask(app)).toEqual(NONE);
    await must(204, 'DELETE', `/passportsvc/api/v1/apps/${appId}`, { token });
    expect(await ask(app)).toEqual(REFUSED);
  });

  it('while Redis is unavailable nothing is open, neither to those who may nor to those who may not', async () => {
    expect(await ask(owner.token)).toEqual(SOME);
    const restart = await stack.backends.interrupt('redis');
    expect(await ask(owner.token)).toEqual([503, 503, 503, 503]);
    expect(await ask(member.token)).toEqual([503, 503, 503, 503]);
    await restart();
  });
});

describe('faults', () => {
  let user: Person;
  let namespace: string;

  beforeAll(async () => {
    user = await enter(stack.dev);
    namespace = await openWorkspace(user, stack.dev);
  });

  /** The status of a page on the admin port, by process. */
  const health = async (page: '/livez' | '/readyz') => {
    const states = stack.services.map(async ({ name, adminUrl }) => [name, (await fetch(adminUrl + page)).status]);
    return Object.fromEntries(await Promise.all(states)) as Record<string, number>;
  };
  const all = (status: number) => Object.fromEntries(stack.services.map(({ name }) => [name, status]));

  /** A request to each service that needs its backends. */
  const askEach = async (): Promise<Record<ServiceName, Reply>> => {
    const query = { nsfilter: namespace };
    const permissions = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', '_user._id': user.id };
    const requests: Record<ServiceName, [path: string, query: Record<string, string>]> = {
      passportsvc: ['/passportsvc/api/v1/workspaces', {}],
      objectmodelsvc: [
        '/objectmodelsvc/api/v1/permissions',
        { ...permissions, '_user._type': 'user', patternmatch: 'false' },
      ],
      filesvc: ['/filesvc/api/v1/files', query],
      graphicssvc: ['/graphicssvc/api/v1/filestore/ffffffffffffffffffffffff', query],
      itemsvc: ['/itemsvc/api/v1/nameduseritems', query],
      datasourcesvc: ['/datasourcesvc/api/v1/orchestrators', query],
      metricsvc: ['/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount', { namespace }],
    };
    const replies = Object.entries(requests).map(async ([service, [target, parameters]]) => [
      service,
      await sendTo(stack.baseUrl, 'GET', target, { token: user.token, query: parameters }),
    ]);
    return Object.fromEntries(await Promise.all(replies)) as Record<ServiceName, Reply>;
  };
  const statusesOf = (replies: Record<string, Reply>) =>
    Object.fromEntries(Object.entries(replies).map(([service, { status }]) => [service, status]));
  const HEALTHY: Record<ServiceName, number> = {
    ...{ passportsvc: 200, objectmodelsvc: 200, filesvc: 200, itemsvc: 200, datasourcesvc: 200, metricsvc: 200 },
    graphicssvc: 404,
  };

  it.each(['mongo', 'redis'] as const)(
    '%s becomes unavailable: services stay alive but not ready, respond 503 with Retry-After, and recover without a restart',
    async (backend) => {
      expect(statusesOf(await askEach())).toEqual(HEALTHY);

      const restart = await stack.backends.interrupt(backend);
      await eventually(async () => expect(await health('/readyz')).toEqual(all(503)), { timeoutMs: MINUTES });
      expect(await health('/livez')).toEqual(all(200));
      for (const [service, { status, headers, body }] of Object.entries(await askEach())) {
        expect([service, status]).toEqual([service, 503]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(body).toMatchObject({ status: 503, code: expect.any(String), requestId: expect.any(String) });
      }

      await restart();
      await eventually(async () => expect(await health('/readyz')).toEqual(all(200)), { timeoutMs: MINUTES });
      await eventually(async () => expect(statusesOf(await askEach())).toEqual(HEALTHY), { timeoutMs: MINUTES });
      expect(stack.services.filter((process) => process.hasExited())).toEqual([]);
    },
    4 * MINUTES,
  );

  it(
    'the S3 server becomes unavailable: requests that need it get a 503, all others still work',
    async () => {
      const upload = () => {
        const body = new FormData();
        body.set('_namespaces', namespace);
        body.set('file', new Blob(['hello']), `${randomBytes(4).toString('hex')}.txt`);
        const options = { token: user.token, query: { nsfilter: namespace }, body };
        return sendTo(stack.baseUrl, 'POST', '/filesvc/api/v1/files', options);
      };
      expect((await upload()).status).toBe(201);

      const restart = await stack.backends.interrupt('s3');
      await eventually(async () => expect(await health('/readyz')).toMatchObject({ filesvc: 503, itemsvc: 200 }));
      const refused = await upload();
      expect(refused).toMatchObject({ status: 503, body: { status: 503 } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await askEach()).itemsvc.status).toBe(200);

      await restart();
      await eventually(async () => expect(await health('/readyz')).toEqual(all(200)), { timeoutMs: MINUTES });
      await eventually(async () => expect((await upload()).status).toBe(201), { timeoutMs: MINUTES });
    },
    3 * MINUTES,
  );

  it(
    'a stopped service completes its running requests and exits with code 0',
    async () => {
      const itemsvc = stack.services.find(({ name }) => name === 'itemsvc')!;
      const item = { _name: 'Last', _shortName: 'last', _description: '', _namespaces: [namespace], _userType: 'last' };
      const body = JSON.stringify([{ ...item, _itemClass: 'NamedUserCollection' }]);
      const url = new URL(`/itemsvc/api/v1/nameduseritems?nsfilter=${namespace}`, itemsvc.url);
      const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
      const post = request(url, { method: 'POST', headers });
      const status = new Promise((resolve, reject) => {
        post.on('error', reject).on('response', (response) => resolve(response.resume().statusCode));
      });
      await new Promise((sent) => post.write(body.slice(0, 20), sent));
      // A later request that is answered shows that the service has begun the first one.
      expect((await fetch(new URL('/itemsvc/api/v1/openapi.json', itemsvc.url))).status).toBe(200);

      const stopped = itemsvc.stop();
      await eventually(async () => {
        const ready = await fetch(`${itemsvc.adminUrl}/readyz`).catch(() => undefined);
        expect(ready?.status).not.toBe(200);
      });
      post.end(body.slice(20));
      expect(await status).toBe(201);
      await stopped;
      expect(await itemsvc.exited).toBe('exit code 0');
    },
    MINUTES,
  );

  it(
    'the whole stack stops in order and leaves no process behind',
    async () => {
      await stack.stop();
      const endings = await Promise.all(stack.services.map(async ({ name, exited }) => [name, await exited]));
      expect(Object.fromEntries(endings)).toEqual(
        Object.fromEntries(stack.services.map(({ name }) => [name, 'exit code 0'])),
      );
      await expect(fetch(stack.baseUrl)).rejects.toThrow('fetch failed');
      await expect(fetch(stack.backends.s3.endpoint)).rejects.toThrow('fetch failed');
    },
    MINUTES,
  );
});
