import { clientCredentials, FILES, ITEMS } from '@dtplatform/stack/client';
import { type Place, unique } from '../counts/operations/operation.js';
import { newItem } from '../items.js';

/** A request whose files are counted. */
export interface CountedRequest {
  name: string;
  service: 'itemsvc' | 'filesvc' | 'passportsvc';
  /** Creates the resource of the request, and resolves with its id. */
  before?: (place: Place) => Promise<string>;
  send: (place: Place, id: string) => Promise<unknown>;
}

/** Every request of a service runs through these files. */
export const UNKNOWN_PATH: CountedRequest = {
  ...{ name: 'unknown path', service: 'itemsvc' },
  send: ({ caller }) => caller.call('GET', '/itemsvc/api/v1/nothing', { expect: 404 }),
};

const HALF = Buffer.alloc(10_000);
const UPLOAD = { uploadType: 'resumable', checksum: 'counted' };

async function beginUpload({ caller, namespace }: Place): Promise<string> {
  const json = { _name: unique(), _uploadMeta: { _size: 2 * HALF.length, _checksum: UPLOAD.checksum } };
  const call = { query: { ...UPLOAD, nsfilter: namespace }, json, expect: 201 };
  return (await caller.call<{ _id: string }>('POST', FILES, call)).body._id;
}

const sendHalf: CountedRequest['send'] = ({ caller, namespace }, id) =>
  caller.call('PATCH', `${FILES}/${id}`, { query: { ...UPLOAD, nsfilter: namespace }, body: HALF });

async function uploadHalf(place: Place): Promise<string> {
  const id = await beginUpload(place);
  await sendHalf(place, id);
  return id;
}

const listItems = ({ caller, namespace }: Place, more: Record<string, string> = {}): Promise<unknown> =>
  caller.call('GET', ITEMS, { query: { nsfilter: namespace, ...more } });
const CHOSEN = { query: '{"_userType":"room"}', sort: '{"_name":1}', project: '{"_name":1}' };

const createItem: CountedRequest['send'] = ({ caller, namespace }) =>
  caller.call('POST', ITEMS, { query: { nsfilter: namespace }, json: [newItem(namespace, 0)], expect: 201 });

export const REQUESTS: readonly CountedRequest[] = [
  { name: 'item, POST', service: 'itemsvc', send: createItem },
  { name: 'list of items', service: 'itemsvc', send: (place) => listItems(place) },
  { name: 'list with query, sort, project', service: 'itemsvc', send: (place) => listItems(place, CHOSEN) },
  { name: 'upload, PATCH of a part', service: 'filesvc', before: beginUpload, send: sendHalf },
  { name: 'upload, PATCH of the last part', service: 'filesvc', before: uploadHalf, send: sendHalf },
  { name: 'token, client credentials', service: 'passportsvc', send: ({ dev }) => clientCredentials(dev) },
];
