import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createCaller } from '@dtplatform/stack/client';
import { createLedger } from '../src/callers/index.js';

describe('the ledger of acknowledged writes', () => {
  let server: Server;
  afterEach(() => void server.close());

  /** A ledger over a platform that responds like `answer`. */
  const ledgerOver = async (answer: RequestListener) => {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return createLedger({ caller: createCaller({ baseUrl: `http://127.0.0.1:${port}` }), namespace: 'n' });
  };

  it('reports a lost file', async () => {
    const ledger = await ledgerOver((_req, res) => res.writeHead(404).end());
    ledger.file('f1', Buffer.from('content'));
    await expect(ledger.verify()).rejects.toThrow('/filesvc/api/v1/files/f1/content?nsfilter=n answered 404, not 200');
  });

  it('reports a file with different content', async () => {
    const ledger = await ledgerOver((_req, res) => res.end('other'));
    ledger.file('f1', Buffer.from('content'));
    await expect(ledger.verify()).rejects.toThrow('the content of file f1 changed');
  });

  it('reports a lost item', async () => {
    const ledger = await ledgerOver((_req, res) => res.writeHead(404).end());
    ledger.item('i1');
    await expect(ledger.verify()).rejects.toThrow('/itemsvc/api/v1/nameduseritems/i1?nsfilter=n answered 404, not 200');
  });

  it('reports a failed run', async () => {
    const ledger = await ledgerOver((_req, res) =>
      res.setHeader('content-type', 'application/json').end(JSON.stringify([{ _status: 'ERROR' }])),
    );
    ledger.run('r1');
    await expect(ledger.verify()).rejects.toThrow('run r1 is ERROR');
  });

  it('counts the writes that are present', async () => {
    const ledger = await ledgerOver((req, res) => {
      if (req.url!.includes('/content')) return void res.end('content');
      res.setHeader('content-type', 'application/json').end(JSON.stringify([{ _status: 'COMPLETED' }]));
    });
    ledger.file('f1', Buffer.from('content'));
    ledger.item('i1');
    ledger.run('r1');
    expect(await ledger.verify()).toBe(3);
  });
});
