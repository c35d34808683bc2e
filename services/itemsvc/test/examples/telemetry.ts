import { NS } from '../start-app.js';
import type { Rooms } from './items.js';
import { firstOf } from './story.js';
import type { Named, Story } from './story.js';

const NORMALIZE = `function normalize({ device, at, celsius }) {
  return [{ _ts: at, _tsMetadata: { _sourceId: device }, celsius }];
}`;

export async function keepSensors(story: Story, { collection, plant }: Rooms): Promise<Named> {
  const { create, send, keep } = story;
  const { item } = await create({
    ...{ _name: 'Temperature sensors', _shortName: 'sensors', _description: 'The sensors of Harbour Tower' },
    ...{ _userType: 'sensors', _itemClass: 'NamedTelemetryCollection' },
    _tsProperties: { _granularity: 'minutes' },
  });
  const _related = [{ _relatedUserItemDbId: collection._id, _relatedToIds: [plant._id] }];
  const path = `/${item._id}/relateditems`;
  await send('post', path)
    .send([{ _sourceId: 'sensor-0417', kind: 'temperature', _related }])
    .expect(201);
  const readings = [
    { _ts: '2026-03-02T08:00:00.000Z', _tsMetadata: { _sourceId: 'sensor-0417' }, celsius: 21.5 },
    { _ts: '2026-03-02T08:05:00.000Z', _tsMetadata: { _sourceId: 'sensor-0417' }, celsius: 22.5 },
    { _ts: '2026-03-02T08:15:00.000Z', _tsMetadata: { _sourceId: 'sensor-0417' }, celsius: 23 },
  ];
  keep('readings.create', await send('post', `${path}/readings`).send(readings).expect(201));
  const query = {
    query: JSON.stringify({ '_tsMetadata._sourceId': 'sensor-0417' }),
    ...{ sort: JSON.stringify({ _ts: 1 }), every: '15m', fn: 'avg' },
  };
  keep('readings.list', await send('get', `${path}/readings`, query).expect(200));
  await keepSearch(story);
  return item;
}

async function keepSearch({ send, keep }: Story): Promise<void> {
  const $findWithRelated = {
    parent: { collectionDesc: { _userType: 'sensors' }, query: { kind: 'temperature' } },
    related: [{ relatedDesc: { _relatedUserType: 'rooms' }, as: 'rooms' }],
  };
  keep('items.search', await send('post', '/search').send({ $findWithRelated }).expect(200));
}

/** The sensors send messages; one of a sensor that is not in the collection becomes a dead letter. */
export async function keepMessages({ create, call, ended, keep }: Story, sensors: Named): Promise<void> {
  await create({
    ...{ _name: 'Normalize', _shortName: 'normalize', _description: 'Makes readings of messages' },
    ...{ _userType: 'normalize_temperature', _itemClass: 'Script', _version: { _userData: NORMALIZE } },
  });
  const config = {
    ...{ _name: 'Sensors of Harbour Tower', _shortName: 'tower_sensors', _userType: 'iot_config' },
    ...{ _description: 'Stores what the sensors measure', _namespaces: [NS] },
    _configData: {
      _bindings: [{ collectionDesc: { _userItemId: sensors._userItemId }, query: { deviceType: 'thermometer' } }],
      _normalizationScript: { _userType: 'normalize_temperature' },
    },
  };
  const accepted = await call('post', '/telemetryconfigs').send(config).expect(202);
  await ended(accepted.headers.location!);
  const taskId = accepted.headers.location!.split('/').at(-1)!;
  keep('telemetryTasks.get', await call('get', `/telemetry_async_tasks/${taskId}`, {}).expect(200));
  const listed = await call('get', '/telemetryconfigs').expect(200);
  keep('telemetryConfigs.list', listed);
  const path = `/telemetryconfigs/${firstOf(listed)._id}`;
  keep('telemetryConfigs.get', await call('get', path).expect(200));

  const message = { deviceType: 'thermometer', device: 'sensor-0999', at: '2026-03-02T08:20:00.000Z', celsius: 19.5 };
  const sample = { _script: NORMALIZE, _message: message };
  keep('scripts.evaluate', await call('post', '/scripts/evaluate').send(sample).expect(200));
  const sent = await call('post', `${path}/messages`).send([message]).expect(202);
  await ended(sent.headers.location!);
  keep('deadLetters.list', await call('get', `${path}/deadletters`).expect(200));
}
