import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { portOf } from '@dtplatform/http';
import { createServiceClient } from '@dtplatform/service-client';
import { remoteFiles } from '../src/relateditems/files.client.js';

const id = (n: number) => n.toString(16).padStart(24, '0');

let status = 200;
const asked: { path: string; ids: string[]; namespace: string | null; authorization: string | undefined }[] = [];
/** A stand-in for filesvc, according to its contract. */
const server = createServer(({ url, headers: { authorization } }, res) => {
  const { pathname: path, searchParams } = new URL(url!, 'http://filesvc');
  const ids = searchParams.get('_ids')!.split(',');
  asked.push({ path, ids, namespace: searchParams.get('nsfilter'), authorization });
  const known = ids.filter((one) => Number.parseInt(one, 16) % 2 === 0);
  const _list = known.map((_id) => ({ _id, _name: 'a', _type: _id === id(4) ? 'dir' : 'file', _namespaces: [] }));
  const body = JSON.stringify({ _list, _total: _list.length });
  res.writeHead(status, { 'content-type': 'application/json' }).end(body);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = createServiceClient({ baseUrl: `http://127.0.0.1:${portOf(server)}` });
afterAll(async () => {
  await client.close();
  server.close();
});

describe('files of filesvc', () => {
  const missing = async (ids: string[]) => {
    const caller = { token: 'the-callers', namespace: 'ns', signal: new AbortController().signal };
    return [...(await remoteFiles(client).missing(ids, caller))];
  };

  it("are requested with the caller's token, and folders do not count as files", async () => {
    expect(await missing([id(2), id(3), id(4), 'no-id'])).toEqual([id(3), id(4), 'no-id']);
    expect(asked.at(-1)).toEqual({
      path: '/filesvc/api/v1/files',
      ids: [id(2), id(3), id(4)],
      namespace: 'ns',
      authorization: 'Bearer the-callers',
    });
  });

  it('are requested in batches', async () => {
    const before = asked.length;
    const ids = Array.from({ length: 450 }, (_, n) => id(2 * n + 10));
    expect(await missing(ids)).toEqual([]);
    const lengths = asked.slice(before).map((call) => call.ids.length);
    expect(lengths.sort()).toEqual([200, 200, 50]);
  });

  it('are missing if filesvc hides them; other failures are passed on', async () => {
    status = 403;
    expect(await missing([id(2)])).toEqual([id(2)]);
    status = 401;
    await expect(missing([id(2)])).rejects.toMatchObject({ status: 401 });
    status = 500;
    await expect(missing([id(2)])).rejects.toMatchObject({ status: 503 });
  });
});
