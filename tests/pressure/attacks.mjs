import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const MIB = 1024 * 1024;
const TIB = 1024 ** 4;
/** Attacks end then, whatever is still open. */
const LIMIT_MS = 45_000;
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'multipart/form-data; boundary=b' };

/** Requests of hostile callers. Each returns a summary of the responses. */
export const attacks = [
  {
    about: 'Declares files of 5 TiB, and sends to the largest files that are accepted',
    run: async (callers) => {
      const huge = await together(50, (n) => initiate(callers, n, `huge-${n}`, 5 * TIB));
      const large = await together(30, (n) => initiate(callers, n, `large-${n}`, TIB / 2));
      const ids = large.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body)._id);
      const sent = await together(ids.length, (n) => append(callers, n, ids[n], 64 * MIB, TIB / 2));
      return `${summary(huge)}; declared: ${summary(large)}; sent: ${summary(sent)}`;
    },
  },
  {
    about: 'Uploads 150 files at the same time, of which 50 stand still',
    run: async (callers) => {
      const upload = async (n) => {
        const { body } = await initiate(callers, n, `file-${n}`, 12 * MIB);
        return append(callers, n, JSON.parse(body)._id, n % 3 === 0 ? 2 * MIB : 12 * MIB, 12 * MIB);
      };
      // Stalled ones are cut off after a minute.
      return summary(await together(150, upload, { limitMs: 120_000 }));
    },
  },
  {
    about: 'Sends forms of unknown length',
    run: async (callers) => summary(await together(60, (n) => sendForm(callers, n, 9 * MIB))),
  },
  {
    about: 'Sends 10 MB of JSON without rights',
    run: async (callers) => {
      const body = bulk(callers, 10 * MIB - 1000);
      return summary(await together(60, () => createItems(callers, callers.stranger, body)));
    },
  },
  {
    about: 'Sends 10 MB of JSON with rights',
    run: async (callers) => {
      const body = bulk(callers, 10 * MIB - 1000);
      return summary(await together(40, (n) => createItems(callers, tokenOf(callers, n), body)));
    },
  },
  {
    about: 'Sends JSON that is deep, of many keys, or of many small values',
    run: async (callers) => {
      const bodies = [
        '['.repeat(5 * MIB),
        `[${'{},'.repeat(3 * MIB)}{}]`,
        `[{"_name":"x","_version":{"_userAttributes":{${Array.from({ length: 400_000 }, (_, n) => `"key${n}":1`).join()}}}}]`,
        `[{"_name":"x","_version":{"_userAttributes":{"a":[${'0,'.repeat(4 * MIB)}0]}}}]`,
      ];
      return summary(await together(24, (n) => createItems(callers, tokenOf(callers, n), bodies[n % bodies.length])));
    },
  },
  {
    about: 'Lists, reads and changes items of 8 MB, by callers of whom some never read the reply',
    run: async (callers) => {
      const ids = await together(6, (n) => createLarge(callers, n));
      const one = (n) => get(callers, n, `/${ids[n % ids.length]}`);
      const project = (n) => get(callers, n, '', `&page={"_pageSize":1}`);
      const refused = await together(60, (n) => get(callers, n, '', '&page={"_pageSize":1000}'));
      const slow = await together(60, (n) => (n % 2 ? one(n) : project(n)), { isSlow: true, limitMs: 15_000 });
      const read = await together(60, (n) => (n % 2 ? one(n) : project(n)));
      const changed = await together(60, (n) => rename(callers, n, ids[n % ids.length]));
      return `lists: ${summary(refused)}; slow: ${summary(slow)}; read: ${summary(read)}; changed: ${summary(changed)}`;
    },
  },
  {
    about: 'Lists and reads items of many small values',
    run: async (callers) => {
      const values = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n]));
      const many = JSON.stringify(Array.from({ length: 9 }, () => item(callers, values)));
      const created = await together(24, (n) => createItems(callers, tokenOf(callers, n), many));
      const entries = Array.from({ length: 90_000 }, (_, n) => ({ n }));
      const heavy = JSON.stringify([item(callers, entries)]);
      const large = await together(6, (n) => createItems(callers, tokenOf(callers, n), heavy));
      const ids = large.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(body)._list[0]._id);
      const page = '&page={"_pageSize":200}&query={"_name":"x"}';
      const lists = await together(60, (n) => get(callers, n, '', page));
      const read = await together(100, (n) => get(callers, n, `/${ids[n % ids.length]}`));
      return `created: ${summary(created)}, ${summary(large)}; lists: ${summary(lists)}; read: ${summary(read)}`;
    },
  },
  {
    about: 'Lists, reads and creates by 200 callers at the same time, of whom some never read the reply',
    run: async (callers) => {
      const crowd = { ...callers, tokens: await callers.createCrowd(200) };
      // Each just below the threshold of a large document, with small values.
      const values = Array.from({ length: 2500 }, (_, n) => n);
      const medium = JSON.stringify(Array.from({ length: 25 }, () => ({ ...item(callers, values), _name: 'medium' })));
      const created = await together(1, () => createItems(callers, tokenOf(callers, 0), medium));
      const ids = await together(3, (n) => createLarge(callers, n));
      const list = (n) => get(crowd, n, '', '&query={"_name":"medium"}');
      const many = (n) => get(crowd, n, '', '&query={"_name":"medium"}&page={"_pageSize":1000}');
      const read = (n) => get(crowd, n, `/${ids[n % ids.length]}`);
      const body = bulk(callers, 2 * MIB);
      const create = (n) => createItems(crowd, tokenOf(crowd, n), body);
      const lists = await together(400, (n) => (n % 4 ? list : many)(n));
      const slow = await together(400, (n) => [list, many, read][n % 3](n), { isSlow: true, limitMs: 15_000 });
      const others = await together(300, (n) => (n % 2 ? read : create)(n));
      return `created: ${summary(created)}; lists: ${summary(lists)}; slow: ${summary(slow)}; others: ${summary(others)}`;
    },
  },
  {
    about: 'Sends many headers and long addresses to every service',
    run: async (callers) => {
      const headers = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`x-${n}`, 'x'.repeat(150)]));
      const names = Object.keys(callers.urls);
      const more = `&${'a=1&'.repeat(200)}`;
      const begin = (n) => send(address(callers, names[n % names.length], 'none', more), { headers });
      return summary(await together(500, begin));
    },
  },
  {
    about: 'Begins bodies on every service and does not continue',
    run: async (callers) => {
      const names = Object.keys(callers.urls);
      const begin = (n) => {
        const service = names[n % names.length];
        const path = service === 'itemsvc' ? 'nameduseritems' : 'workspaces';
        const headers = { ...bearer(callers, n), ...json, 'content-length': 900_000 };
        const chunks = [Buffer.alloc(500_000, ' ')];
        return send(address(callers, service, path), { method: 'POST', headers, chunks, isOpen: true });
      };
      return summary(await together(200, begin, { limitMs: 10_000 }));
    },
  },
];

const tokenOf = ({ tokens }, n) => tokens[n % tokens.length];
const bearer = (callers, n) => ({ authorization: `Bearer ${tokenOf(callers, n)}` });
const address = ({ urls, namespace }, service, path, more = '') =>
  `${urls[service]}/${service}/api/v1/${path}?nsfilter=${namespace}${more}`;

const initiate = (callers, n, _name, _size) =>
  send(address(callers, 'filesvc', 'files', '&uploadType=resumable'), {
    method: 'POST',
    headers: { ...bearer(callers, n), ...json },
    chunks: [JSON.stringify({ _name, _uploadMeta: { _size, _checksum: 'c' } })],
  });

/** Sends a part of an upload, possibly less than announced. */
const append = (callers, n, id, bytes, announced) =>
  send(address(callers, 'filesvc', `files/${id}`, '&uploadType=resumable&checksum=c'), {
    method: 'PATCH',
    headers: { ...bearer(callers, n), 'content-length': announced },
    chunks: repeat(Buffer.alloc(MIB, 'x'), bytes / MIB),
    isOpen: bytes < announced,
  });

const sendForm = (callers, n, bytes) =>
  send(address(callers, 'filesvc', 'files', `&_namespaces=${callers.namespace}`), {
    method: 'POST',
    headers: { ...bearer(callers, n), ...form, 'transfer-encoding': 'chunked' },
    chunks: [
      `--b\r\ncontent-disposition: form-data; name="file"; filename="form-${n}"\r\n\r\n`,
      ...repeat(Buffer.alloc(MIB, 'x'), bytes / MIB),
      '\r\n--b--\r\n',
    ],
  });

const createItems = (callers, token, body) =>
  send(address(callers, 'itemsvc', 'nameduseritems'), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...json, 'content-length': Buffer.byteLength(body) },
    chunks: [body],
  });

const item = ({ namespace }, text) => ({
  ...{ _name: 'x', _shortName: 'x', _description: 'x', _namespaces: [namespace] },
  ...{ _userType: 'pressure', _itemClass: 'NamedUserCollection' },
  _version: { _userAttributes: { text } },
});

/** A body that creates as many items as fit into a number of bytes. */
function bulk(callers, bytes) {
  const one = item(callers, 'x'.repeat(20_000));
  return JSON.stringify(Array.from({ length: Math.floor(bytes / (JSON.stringify(one).length + 1)) }, () => one));
}

async function createLarge(callers, n) {
  const body = JSON.stringify([item(callers, 'x'.repeat(8 * MIB - 1000))]);
  const reply = await createItems(callers, tokenOf(callers, n), body);
  if (reply.status !== 201)
    throw new Error(`A large item was refused with ${reply.status}: ${reply.body.slice(0, 300)}`);
  return JSON.parse(reply.body)._list[0]._id;
}

/** Reads items. */
const get = (callers, n, path, more = '') =>
  send(address(callers, 'itemsvc', `nameduseritems${path}`, encodeURI(more)), { headers: bearer(callers, n) });

function rename(callers, n, id) {
  const body = { _name: `name ${n}`, _description: '', _userType: 'pressure', _namespaces: [callers.namespace] };
  return send(address(callers, 'itemsvc', `nameduseritems/${id}`), {
    method: 'PUT',
    headers: { ...bearer(callers, n), ...json },
    chunks: [JSON.stringify(body)],
  });
}

function* repeat(chunk, times) {
  for (let n = 0; n < times; n++) yield chunk;
}

/** Shared by all requests of an attack. */
let current = { signal: AbortSignal.abort(), isSlow: false };

/**
 * Runs requests concurrently and aborts open ones at the end. @param isSlow whether responses stay unread until then
 */
async function together(count, start, { isSlow = false, limitMs = LIMIT_MS } = {}) {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const timer = setTimeout(() => over.abort(), limitMs);
  current = { signal: over.signal, isSlow };
  const replies = await Promise.all(Array.from({ length: count }, async (_, n) => start(n)));
  clearTimeout(timer);
  return replies;
}

/** Sends a request. Status 0 means that either side cut it. @param isOpen whether the body does not end */
function send(url, { method = 'GET', headers, chunks = [], isOpen = false }) {
  const { signal, isSlow } = current;
  return new Promise((resolve) => {
    const cut = () => resolve({ status: 0, body: '' });
    const outgoing = request(url, { method, headers, agent: false, signal });
    outgoing.on('error', cut).on('close', cut);
    outgoing.on('response', (response) => {
      if (isSlow) return;
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('error', cut);
      response.on('end', () => {
        resolve({ status: response.statusCode, body: Buffer.concat(parts).toString() });
        outgoing.destroy();
      });
    });
    // A server that rejects a request early may close the connection while its body is sent.
    pipeline(Readable.from(chunks), outgoing, { end: !isOpen }).catch(cut);
  });
}

/** `3 × 201, 2 × cut` */
function summary(replies) {
  const counts = new Map();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status || 'cut'}`).join(', ');
}
