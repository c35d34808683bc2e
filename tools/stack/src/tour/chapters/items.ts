import { ITEMS, type Page } from '../http/paths.js';
import { expect, type Tour } from '../tour.js';
import type { FileRecord } from './files.js';
import type { Person } from './people.js';

export interface Item {
  _id: string;
  _userItemId: string;
  _irn: string;
  _tipVersion: number;
  _versions: { _version: number; _userAttributes: Record<string, unknown> }[];
}

interface FileItem {
  _id: string;
  _fileId: string;
  aspect: string;
}

/** Creates items that describe the files: a collection of files, the rooms, and the building itself. */
export async function describeBuilding(tour: Tour, owner: Person, namespace: string, files: FileRecord[]) {
  const query = { nsfilter: namespace };
  const create = async (itemClass: string, shortName: string, attributes: Record<string, unknown> = {}) => {
    const item = {
      _name: `${shortName} of tour ${tour.mark}`,
      _shortName: `${shortName}_${tour.mark}`,
      _description: 'Made by the tour',
      _namespaces: [namespace],
      _userType: shortName,
      _itemClass: itemClass,
      _version: { _userAttributes: attributes },
    };
    const { body } = await owner.call<Page<Item>>('POST', ITEMS, { query, json: [item], expect: 201 });
    return body._list[0]!;
  };

  const collection = await tour.step('A file collection is created', () => create('NamedFileCollection', 'models'));
  await tour.step('Its file items refer to the files', async () => {
    const path = `${ITEMS}/${collection._id}/relateditems`;
    const json = files.map(({ _id, _tipId, _name }) => ({ _fileId: _id, _fileVersionId: _tipId, aspect: _name }));
    await owner.call('POST', path, { query, json, expect: 201 });
    const { body } = await owner.call<Page<FileItem>>('GET', path, { query });
    expect('what it refers to', body._list.map((item) => item._fileId).sort(), files.map(({ _id }) => _id).sort());
  });
  const rooms = await tour.step('A user collection is created', () =>
    create('NamedUserCollection', 'rooms', { area: 1 }),
  );
  await tour.step('It gets a second version, which becomes its tip', async () => {
    const path = `${ITEMS}/${rooms._userItemId}/versions`;
    await owner.call('POST', path, { query, json: { _userAttributes: { area: 960 } }, expect: 201 });
    const { body } = await owner.call<Page<{ _version: number }>>('GET', path, { query });
    const numbers = body._list.map(({ _version }) => _version);
    expect('the versions', numbers, [2, 1]);
  });
  await tour.step('A composite item is created', () =>
    create('NamedCompositeItem', 'building', { storeys: 12, address: { city: 'Tartu' } }),
  );
  await tour.step('Items are found by type and attributes (query, project, page, sort)', async () => {
    const search = {
      ...query,
      query: JSON.stringify({ $and: [{ _userType: 'rooms' }, { '_versions._userAttributes.area': { $gt: 900 } }] }),
      project: JSON.stringify({ _name: 1, _userItemId: 1 }),
      page: JSON.stringify({ _offset: 0, _pageSize: 10 }),
      sort: JSON.stringify({ '_metadata._createdAt': -1 }),
    };
    const { body } = await owner.call<Page<Item>>('GET', ITEMS, { query: search });
    const found = body._list.map(({ _userItemId }) => _userItemId);
    expect('what is found', found, [rooms._userItemId]);
  });
  return rooms;
}
