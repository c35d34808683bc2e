import { expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person, trustedToken } from './support/people.js';
import { must } from './support/resources.js';

const CONFIGS = '/itemsvc/api/v1/telemetryconfigs';
const FILES = '/filesvc/api/v1/files';

/** Begins a task of a service. @returns where the service shows it */
const BEGIN: Record<string, (owner: Person, nsfilter: string) => Promise<string>> = {
  async itemsvc({ token }, nsfilter) {
    const json = {
      ...{ _name: 'Sensors', _shortName: 'sensors', _description: '', _userType: 'iot', _namespaces: [nsfilter] },
      _configData: {
        _bindings: [{ collectionDesc: { _userItemId: 'temperature_1' }, query: { deviceType: 'thermo' } }],
        _normalizationScript: { _userType: 'normalize' },
      },
    };
    const { headers } = await must(202, 'POST', CONFIGS, { token, query: { nsfilter }, json });
    return headers.get('location')!;
  },
  async filesvc({ token }, nsfilter) {
    const folder = async (_name: string, _parents: string) => {
      const query = { nsfilter, _namespaces: nsfilter, _name, _parents };
      return (await must(200, 'POST', FILES, { token, query })).body._id as string;
    };
    const large = await folder('large', 'root');
    // One more than a single transaction removes.
    for (let made = 0; made <= 250; made += 10)
      await Promise.all(Array.from({ length: 10 }, (_, n) => folder(`${made + n}`, large)));
    const { headers } = await must(202, 'DELETE', `${FILES}/${large}`, { token, query: { nsfilter } });
    return headers.get('location')!;
  },
};

it.each(Object.keys(BEGIN))(
  'passportsvc shows a task of %s to the same callers as the service does',
  async (service) => {
    const [owner, outsider, trusted] = await Promise.all([enter(), enter(), trustedToken()]);
    const location = await BEGIN[service]!(owner, await openWorkspace(owner));
    const path = `/passportsvc/api/v1/asynctasks/${location.split('/').at(-1)!}`;
    // It may change between two calls.
    await eventually(async () => {
      const { body } = await must(200, 'GET', location, { token: owner.token });
      expect((await must(200, 'GET', path, { token: owner.token })).body).toEqual(body);
    });
    await must(404, 'GET', path, { token: outsider.token });
    await must(200, 'GET', path, { token: trusted });
  },
);
