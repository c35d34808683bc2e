import { type Client, waitForTask } from '@dtplatform/sdk';
import { createItem, type Item } from './items.js';

export const DEVICE_TYPE = 'climate';

const SCRIPT = `
/** Turns the message of a climate sensor into a reading. */
function normalize({ device, at, celsius, ppm }) {
  if (typeof celsius !== 'number') throw new Error(device + ' sent no temperature: the sensor is defective');
  return { _ts: at, _tsMetadata: { _sourceId: device }, temperature: celsius, co2: ppm };
}
`;

/** Creates script and configuration, and sends a message that the script rejects. Returns the configuration's id. */
export async function createTelemetry(demo: Client, sensors: Item, signal: AbortSignal): Promise<string> {
  const _userType = 'climate_script';
  await createItem(demo, 'Script', 'Climate messages', { _userType, _version: { _userData: SCRIPT } });
  const body = {
    ...{ _name: 'Climate', _shortName: 'climate', _userType: 'climate', _namespaces: [demo.namespace!] },
    _description: 'Readings of the climate sensors',
    _configData: {
      _bindings: [{ collectionDesc: { _userItemId: sensors._userItemId }, query: { deviceType: DEVICE_TYPE } }],
      _normalizationScript: { _userType },
    },
  };
  await waitForTask(demo, await demo.send('itemsvc.telemetryConfigs.create', { body }), { signal });
  const { _list } = await demo.call('itemsvc.telemetryConfigs.list', {});
  const { _id: id } = _list.find(({ _shortName }) => _shortName === body._shortName)!;
  const defective = { deviceType: DEVICE_TYPE, device: 'climate-303', at: Date.now(), celsius: null, ppm: 640 };
  await demo.call('itemsvc.messages.create', { path: { id }, body: [defective] as never });
  return id;
}
