import { expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from './support/people.js';
import { send } from './support/platform.js';
import { fillNamespace, grant } from './support/resources.js';

it('one permission opens every service, and its revocation closes every service before it responds', async () => {
  const [owner, partner] = await Promise.all([enter(), enter()]);
  const namespace = await openWorkspace(owner);
  const resources = await fillNamespace(owner, namespace);
  /** What a person sees: a status per resource, a metric and the namespaces of workspaces. */
  const seenBy = async ({ token }: Person) => {
    const path = '/metricsvc/api/v1/metrics/dtplatform.itemsvc.NamedUserCollectionCount';
    const [metric, workspaces, ...reads] = await Promise.all([
      send('GET', path, { token, query: { namespace } }),
      send('GET', '/passportsvc/api/v1/workspaces', { token }),
      ...resources.map(({ path, query }) => send('GET', path, { token, query })),
    ]);
    return {
      statuses: reads.map(({ status }) => status),
      metrics: (metric.body.metrics as { value: number }[]).map(({ value }) => value),
      namespaces: (workspaces.body._list as { _namespaces: string[] }[]).flatMap(({ _namespaces }) => _namespaces),
    };
  };
  const everything = { statuses: resources.map(() => 200), metrics: [1], namespaces: [namespace] };
  const nothing = { statuses: resources.map(() => 404), metrics: [], namespaces: [] };

  await eventually(async () => expect(await seenBy(owner)).toEqual(everything));
  expect(await seenBy(partner)).toEqual(nothing);
  const permission = await grant(owner, partner, { namespace, irn: '*:*:*', actions: ['READ'] });
  expect(await seenBy(partner)).toEqual(everything);
  const path = `/objectmodelsvc/api/v1/permissions/${permission}`;
  expect((await send('DELETE', path, { token: owner.token })).status).toBe(204);
  expect(await seenBy(partner)).toEqual(nothing);
});
