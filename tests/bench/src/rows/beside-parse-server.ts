import { ITEMS } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { httpSide } from '../http-side.js';
import { itemsOf, newItem } from '../items.js';
import type { Contest } from '../measure.js';
import { PARSE_HEADERS, startParseServer } from '../start-parse-server.js';
import type { Row } from '../row.js';

const OBJECTS = 1000;
const BATCH = 50;
const CLASS = '/classes/Room';

interface Requests {
  urls: (base: string, ids: string[]) => string[];
  json?: object;
}

/** parse-server has as many objects as there are items. The master key bypasses its permission checks. */
const row = (name: string, about: string, ours: (bench: Bench) => Requests, reference: Requests): Row => ({
  row: `beside-parse-server-${name}`,
  unit: 'request',
  reach: 2,
  about: `${about}; beside parse-server with its master key`,
  async prepare(bench): Promise<Contest> {
    const ids = await itemsOf(bench);
    const { url, pid } = bench.serviceOf('itemsvc');
    const parseServer = await startParseServer(bench);
    const { urls, ...request } = ours(bench);
    const { urls: theirUrls, ...theirRequest } = reference;
    const theirs = theirUrls(parseServer.url + CLASS, await objectsOf(parseServer.url));
    return {
      ours: httpSide({ ...request, pid, urls: urls(url + ITEMS, ids), token: bench.token }),
      reference: httpSide({ ...theirRequest, pid: parseServer.pid, urls: theirs, headers: PARSE_HEADERS }),
    };
  },
});

/** An item's fields in parse-server, without those that the platform adds. */
function newObject(n: number) {
  const { _name, _shortName, _description, _userType, _version } = newItem('', n);
  return {
    name: _name,
    shortName: _shortName,
    description: _description,
    userType: _userType,
    attributes: _version._userAttributes,
  };
}

export const besideParseServer: Row[] = [
  row(
    'get',
    'items by their ids, one of a thousand each time',
    ({ namespace }) => ({ urls: (base, ids) => ids.map((id) => `${base}/${id}?nsfilter=${namespace}`) }),
    { urls: (base, ids) => ids.map((id) => `${base}/${id}`) },
  ),
  row(
    'list',
    '25 of 1000 items with their total',
    ({ namespace }) => ({ urls: (base) => [`${base}?nsfilter=${namespace}`] }),
    { urls: (base) => [`${base}?limit=25&count=1&order=objectId`] },
  ),
  row(
    'insert',
    'one item at a time',
    ({ namespace }) => ({ urls: (base) => [`${base}?nsfilter=${namespace}`], json: [newItem(namespace, 0)] }),
    { urls: (base) => [base.replace(CLASS, '/classes/Inserted')], json: newObject(0) },
  ),
];

/** The ids of a thousand objects, which another row may have created. */
async function objectsOf(baseUrl: string): Promise<string[]> {
  const call = (method: string, path: string, json?: object) =>
    fetch(baseUrl + path, {
      ...{ method, headers: { ...PARSE_HEADERS, 'content-type': 'application/json' } },
      ...(json && { body: JSON.stringify(json) }),
    }).then(async (response) => {
      if (!response.ok) throw new Error(`parse-server answered ${response.status}: ${await response.text()}`);
      return response.json();
    });
  const find = async () =>
    ((await call('GET', `${CLASS}?limit=${OBJECTS}&keys=objectId`)) as { results: { objectId: string }[] }).results;
  for (let made = (await find()).length; made < OBJECTS; made += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, (_, n) => call('POST', CLASS, newObject(made + n))));
  }
  return (await find()).map(({ objectId }) => objectId);
}
