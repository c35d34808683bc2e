import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A fake of another service: responds with these bodies, and with a 404 elsewhere.
 * @param answers by method and path, such as `GET /itemsvc/api/v1/items`
 */
export async function startAnswers(answers: Record<string, object>) {
  const server = createServer((req, res) => {
    const found = answers[`${req.method!} ${req.url!.split('?')[0]!}`];
    res.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    req.resume().once('end', () => res.end(JSON.stringify(found ?? {})));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';
const AT_MS = 1767225600000;

/** objectmodelsvc's responses when it grants and lists one permission, granted by Olga. */
export function permissionAnswers(entry: object): Record<string, object> {
  const _metadata = { _createdAt: AT_MS, _updatedAt: AT_MS, _createdById: 'olga', _updatedById: 'olga' };
  const stored = { _id: '0123456789abcdef01234567', ...entry, _metadata };
  return {
    [`PUT ${PERMISSIONS}`]: { _offset: 0, _list: { _success: [{ ...stored, _status: 201 }], _failures: [] } },
    [`GET ${PERMISSIONS}`]: { _offset: 0, _pageSize: 25, _total: 1, _list: [stored] },
  };
}
