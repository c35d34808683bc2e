import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from '../../support/people.js';
import { type RouteResponse, sendTo, type ServiceName } from '../../support/platform.js';
import type { OwnStack } from './own-stack.js';

const MINUTES = 60_000;

/** Backends become unavailable, and services stop. The last test stops the stack. */
export function testFaults(own: OwnStack): void {
  describe('faults', () => {
    let user: Person;
    let namespace: string;

    beforeAll(async () => {
      user = await enter(own.stack.dev);
      namespace = await openWorkspace(user, own.stack.dev);
    });

    /** The status of an admin page, by process. */
    const health = async (page: '/livez' | '/readyz') => {
      const states = own.stack.services.map(async ({ name, adminUrl }) => [
        name,
        (await fetch(adminUrl + page)).status,
      ]);
      return Object.fromEntries(await Promise.all(states)) as Record<string, number>;
    };
    const all = (status: number) => Object.fromEntries(own.stack.services.map(({ name }) => [name, status]));

    /** A request to each service that needs its backends. */
    const askEach = async (): Promise<Record<ServiceName, RouteResponse>> => {
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
      const responses = Object.entries(requests).map(async ([service, [target, parameters]]) => [
        service,
        await sendTo(own.stack.baseUrl, 'GET', target, { token: user.token, query: parameters }),
      ]);
      return Object.fromEntries(await Promise.all(responses)) as Record<ServiceName, RouteResponse>;
    };
    const statusesOf = (responses: Record<string, RouteResponse>) =>
      Object.fromEntries(Object.entries(responses).map(([service, { status }]) => [service, status]));
    const HEALTHY: Record<ServiceName, number> = {
      ...{ passportsvc: 200, objectmodelsvc: 200, filesvc: 200, itemsvc: 200, datasourcesvc: 200, metricsvc: 200 },
      graphicssvc: 404,
    };

    it.each(['mongo', 'redis'] as const)(
      '%s becomes unavailable: services stay alive but not ready, respond 503 with Retry-After, and recover without a restart',
      async (backend) => {
        expect(statusesOf(await askEach())).toEqual(HEALTHY);

        const restart = await own.stack.backends.interrupt(backend);
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
        expect(own.stack.services.filter((process) => process.hasExited())).toEqual([]);
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
          return sendTo(own.stack.baseUrl, 'POST', '/filesvc/api/v1/files', options);
        };
        expect((await upload()).status).toBe(201);

        const restart = await own.stack.backends.interrupt('s3');
        await eventually(async () => expect(await health('/readyz')).toMatchObject({ filesvc: 503, itemsvc: 200 }));
        const rejected = await upload();
        expect(rejected).toMatchObject({ status: 503, body: { status: 503 } });
        expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
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
        const itemsvc = own.stack.services.find(({ name }) => name === 'itemsvc')!;
        const item = {
          _name: 'Last',
          _shortName: 'last',
          _description: '',
          _namespaces: [namespace],
          _userType: 'last',
        };
        const body = JSON.stringify([{ ...item, _itemClass: 'NamedUserCollection' }]);
        const url = new URL(`/itemsvc/api/v1/nameduseritems?nsfilter=${namespace}`, itemsvc.url);
        const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
        const post = request(url, { method: 'POST', headers });
        const status = new Promise((resolve, reject) => {
          post.on('error', reject).on('response', (response) => resolve(response.resume().statusCode));
        });
        await new Promise((sent) => post.write(body.slice(0, 20), sent));
        // A response to a later request shows that the service has started the first one.
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
        await own.stack.stop();
        const endings = await Promise.all(own.stack.services.map(async ({ name, exited }) => [name, await exited]));
        expect(Object.fromEntries(endings)).toEqual(
          Object.fromEntries(own.stack.services.map(({ name }) => [name, 'exit code 0'])),
        );
        await expect(fetch(own.stack.baseUrl)).rejects.toThrow('fetch failed');
        await expect(fetch(own.stack.backends.s3.endpoint)).rejects.toThrow('fetch failed');
      },
      MINUTES,
    );
  });
}
