import type { Client, Input } from '@dtplatform/sdk';
import { SENSORS } from '../input/climate.js';
import { type Room, roomsOf } from '../input/rooms.js';
import type { StoredFile } from './files.js';

type NewItem = Input<'itemsvc.items.create'>['body'][number];

export interface Item {
  _id: string;
  _userItemId: string;
}

/** @param version attributes and data of the first version */
export async function createItem(
  demo: Client,
  _itemClass: NewItem['_itemClass'],
  _name: string,
  { _version, ...more }: Pick<NewItem, '_version' | '_tsProperties'> & { _userType: string; _description?: string },
): Promise<Item> {
  const _shortName = more._userType;
  const item = { _name, _shortName, _description: '', _itemClass, _namespaces: [demo.namespace!], _version, ...more };
  const { _list } = await demo.call('itemsvc.items.create', { body: [item] });
  return _list[0]!;
}

/** The building, and its collections of rooms, sensors, documents and equipment. */
export async function createItems(demo: Client, files: Map<string, StoredFile>) {
  const building = await createItem(demo, 'NamedCompositeItem', 'Harbour Tower', {
    ...{ _userType: 'building', _description: 'The whole building' },
    _version: { _userAttributes: { floors: 5, heating: 'district', address: { city: 'Hamburg', street: 'Kai 7' } } },
  });
  const renewed = { floors: 5, heating: 'heat pump', address: { city: 'Hamburg', street: 'Kai 7' }, certified: 'gold' };
  await addVersion(demo, building, renewed);
  const { rooms, ids } = await createRooms(demo);
  const sensors = await createSensors(demo, rooms, ids);
  const documents = await createItem(demo, 'NamedFileCollection', 'Documents', { _userType: 'documents' });
  const body = [...files.values()].map(({ _id, _tipId, _name }) => ({
    ...{ _fileId: _id, _fileVersionId: _tipId, filename: _name, aspect: _name.split('.').at(-1)! },
  }));
  await demo.call('itemsvc.relatedItems.create', { path: { id: documents._id }, body });
  const equipment = await createItem(demo, 'NamedUserCollection', 'Equipment', { _userType: 'equipment' });
  const related = [rooms, sensors, documents, equipment].map(({ _id: _itemId }) => ({ _itemId }));
  await demo.call('itemsvc.relatedCollections.create', { path: { id: building._id }, body: related });
  return { rooms, sensors, equipment };
}

const addVersion = (demo: Client, { _id: id }: Item, _userAttributes: Record<string, unknown>) =>
  demo.call('itemsvc.versions.create', { path: { id }, body: { _userAttributes } });

/** Three versions, each with its rooms. Returns the ids of the latest ones by number. */
async function createRooms(demo: Client) {
  const rooms = await createItem(demo, 'NamedUserCollection', 'Rooms', {
    ...{ _userType: 'rooms', _description: 'Rooms with area in m², use and floor' },
    _version: { _userAttributes: attributesOf(roomsOf(1), 'draft') },
  });
  await addRooms(demo, rooms, roomsOf(1));
  await addVersion(demo, rooms, attributesOf(roomsOf(2), 'planned'));
  await addRooms(demo, rooms, roomsOf(2));
  await addVersion(demo, rooms, attributesOf(roomsOf(3), 'measured'));
  return { rooms, ids: await addRooms(demo, rooms, roomsOf(3)) };
}

const attributesOf = (rooms: readonly Room[], state: string) => ({
  ...{ state, rooms: rooms.length, area: Math.round(rooms.reduce((sum, { area }) => sum + area, 0)) },
});

async function addRooms(demo: Client, { _id: id }: Item, rooms: Room[]): Promise<Map<string, string>> {
  const { _list } = await demo.call('itemsvc.relatedItems.create', { path: { id }, body: rooms as never });
  return new Map(rooms.map(({ number }, at) => [number, _list[at]!._id]));
}

/** Each sensor is related to its room. */
async function createSensors(demo: Client, rooms: Item, roomIds: Map<string, string>): Promise<Item> {
  const sensors = await createItem(demo, 'NamedTelemetryCollection', 'Climate sensors', {
    ...{ _userType: 'climate_sensors', _description: 'Temperature in °C and CO2 in ppm' },
    _tsProperties: { _granularity: 'minutes' },
  });
  const body = SENSORS.map(({ sourceId, room }) => ({
    ...{ _sourceId: sourceId, name: `Climate ${room}`, room, unit: { temperature: '°C', co2: 'ppm' } },
    _related: [{ _relatedUserItemDbId: rooms._id, _relatedToIds: [roomIds.get(room)!] }],
  }));
  await demo.call('itemsvc.relatedItems.create', { path: { id: sensors._id }, body });
  return sensors;
}
