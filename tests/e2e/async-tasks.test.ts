import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, trustedToken } from './support/people.js';
import { send } from './support/platform.js';

describe('async tasks', () => {
  it('of a service are also shown by passportsvc, to the same callers', async () => {
    const [owner, outsider] = await Promise.all([enter(), enter()]);
    const namespace = await openWorkspace(owner);
    const json = {
      _name: 'Sensors',
      _shortName: 'sensors',
      _description: '',
      _userType: 'iot',
      _namespaces: [namespace],
      _configData: {
        _bindings: [{ collectionDesc: { _userItemId: 'temperature_1' }, query: { deviceType: 'thermo' } }],
        _normalizationScript: { _userType: 'normalize' },
      },
    };
    const request = { token: owner.token, query: { nsfilter: namespace }, json };
    const accepted = await send('POST', '/itemsvc/api/v1/telemetryconfigs', request);
    expect([accepted.status, accepted.body]).toEqual([202, '']);
    const id = accepted.headers.get('location')!.split('/').at(-1)!;
    const path = `/passportsvc/api/v1/asynctasks/${id}`;
    await eventually(async () => {
      const shown = await send('GET', path, { token: owner.token });
      expect([shown.status, shown.body]).toEqual([200, expect.objectContaining({ _id: id, _status: 'COMPLETED' })]);
    });
    expect((await send('GET', path, { token: outsider.token })).status).toBe(404);
    expect((await send('GET', path, { token: await trustedToken() })).status).toBe(200);
    const byItemsvc = await send('GET', `/itemsvc/api/v1/asynctasks/${id}`, { token: owner.token });
    expect(byItemsvc.body).toEqual((await send('GET', path, { token: owner.token })).body);
  });

  it('of filesvc are also shown by passportsvc: the deletion of a large folder', async () => {
    const [owner, outsider] = await Promise.all([enter(), enter()]);
    const namespace = await openWorkspace(owner);
    const { token } = owner;
    const files = '/filesvc/api/v1/files';
    const folder = async (_name: string, _parents: string) => {
      const query = { nsfilter: namespace, _namespaces: namespace, _name, _parents };
      const created = await send('POST', files, { token, query });
      expect(created.status).toBe(200);
      return created.body._id as string;
    };
    const large = await folder('large', 'root');
    // One more than a single transaction removes.
    for (let made = 0; made <= 250; made += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => folder(`${made + n}`, large)));
    }
    const query = { nsfilter: namespace };
    const accepted = await send('DELETE', `${files}/${large}`, { token, query });
    expect([accepted.status, accepted.body]).toEqual([202, '']);
    const location = accepted.headers.get('location')!;
    const id = location.split('/').at(-1)!;
    const path = `/passportsvc/api/v1/asynctasks/${id}`;
    await eventually(
      async () => {
        const shown = await send('GET', path, { token });
        expect([shown.status, shown.body]).toEqual([200, expect.objectContaining({ _id: id, _status: 'COMPLETED' })]);
      },
      { timeoutMs: 40_000 },
    );
    expect((await send('GET', path, { token: outsider.token })).status).toBe(404);
    expect((await send('GET', path, { token: await trustedToken() })).status).toBe(200);
    const byFilesvc = await send('GET', location, { token });
    expect(byFilesvc.body).toEqual((await send('GET', path, { token })).body);
    expect((await send('GET', `${files}/${large}`, { token, query })).status).toBe(404);
  });
});
