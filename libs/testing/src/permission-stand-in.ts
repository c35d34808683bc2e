import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const METADATA = {
  _createdAt: 1767225600000,
  _updatedAt: 1767225600000,
  _createdById: 'olga',
  _updatedById: 'olga',
};

/**
 * Stands for objectmodelsvc in examples: grants and lists one permission, which `ben` holds.
 * @param irn the resources that it is for
 */
export async function startPermissionStandIn(irn: string, namespace: string) {
  const entry = {
    ...{ _namespace: namespace, _resourceDesc: { _irn: irn }, _user: { _type: 'user', _id: 'ben' } },
    _actions: ['READ'],
  };
  const stored = { _id: '0123456789abcdef01234567', ...entry, _metadata: METADATA };
  const replies: Record<string, object> = {
    PUT: { _offset: 0, _list: { _success: [{ ...stored, _status: 201 }], _failures: [] } },
    GET: { _offset: 0, _pageSize: 25, _total: 1, _list: [stored] },
  };
  const server = createServer((req, res) => {
    req.resume().once('end', () => res.writeHead(200).end(JSON.stringify(replies[req.method!])));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));

  return {
    environment: { OBJECTMODELSVC_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    /** What to grant. */
    entry,
    /** The query that lists it. */
    query: {
      ...{ _namespace: namespace, '_user._id': 'ben', '_user._type': 'user', '_resourceDesc._irn': irn },
      patternmatch: 'false',
    },
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
