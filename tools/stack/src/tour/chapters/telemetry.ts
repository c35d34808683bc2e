import { type Page, TELEMETRY_CONFIGS } from '../http/paths.js';
import { expect, type Tour } from '../tour.js';
import type { Item } from './items.js';
import type { Person } from './people.js';

interface Task {
  _status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'ERROR';
}

/**
 * Telemetry configurations are accepted at once and created in the background (docs/contract.md, "Telemetry configs").
 */
export async function configureTelemetry(
  tour: Tour,
  owner: Person,
  namespace: string,
  collection: Item,
): Promise<void> {
  const query = { nsfilter: namespace };
  const json = {
    _name: `Sensors of tour ${tour.mark}`,
    _shortName: `sensors_${tour.mark}`,
    _description: 'Made by the tour',
    _userType: 'sensors',
    _namespaces: [namespace],
    _configData: {
      _bindings: [{ collectionDesc: { _userItemId: collection._userItemId }, query: { deviceType: 'thermometer' } }],
      _normalizationScript: { _userType: 'normalize' },
    },
  };
  await tour.step('A telemetry configuration is accepted (202), and its task completes', async () => {
    const { headers } = await owner.call('POST', TELEMETRY_CONFIGS, { query, json, expect: 202 });
    const location = headers.get('location') ?? '';
    await tour.eventually('the task is COMPLETED', async () => {
      const { body } = await owner.call<Task>('GET', location);
      if (body._status === 'ERROR') throw new Error(`the task is ${JSON.stringify(body)}`);
      return body._status === 'COMPLETED' ? body : undefined;
    });
    const { body } = await owner.call<Page<{ _shortName: string }>>('GET', TELEMETRY_CONFIGS, { query });
    const names = body._list.map(({ _shortName }) => _shortName);
    expect('the list', names, [json._shortName]);
  });
}
