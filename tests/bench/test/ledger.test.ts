import type { RequestListener } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createLedger } from '../src/callers/index.js';
import { callerOf, notFound } from './caller-of.js';

describe('the ledger of acknowledged writes', () => {
  type Ledger = ReturnType<typeof createLedger>;
  const runIs =
    (_status: string): RequestListener =>
    (req, res) => {
      if (req.url!.includes('/content')) return void res.end('content');
      res.setHeader('content-type', 'application/json').end(JSON.stringify([{ _status }]));
    };
  const ledgerOver = async (answer: RequestListener) =>
    createLedger({ caller: await callerOf(answer), namespace: 'n' });
  const addFile = (ledger: Ledger) => ledger.file('f1', Buffer.from('content'));
  const addItem = (ledger: Ledger) => ledger.item('i1');
  const addRun = (ledger: Ledger) => ledger.run('r1');

  it.each([
    ['a lost file', addFile, notFound, '/filesvc/api/v1/files/f1/content?nsfilter=n answered 404, not 200'],
    ['other content', addFile, (_req, res) => res.end('other'), 'the content of file f1 changed'],
    ['a lost item', addItem, notFound, '/itemsvc/api/v1/nameduseritems/i1?nsfilter=n answered 404, not 200'],
    ['a failed run', addRun, runIs('ERROR'), 'run r1 is ERROR'],
  ] as [string, (ledger: Ledger) => unknown, RequestListener, string][])(
    'reports %s',
    async (_what, add, answer, problem) => {
      const ledger = await ledgerOver(answer);
      add(ledger);
      await expect(ledger.verify()).rejects.toThrow(problem);
    },
  );

  it('counts the writes that are present', async () => {
    const ledger = await ledgerOver(runIs('COMPLETED'));
    for (const add of [addFile, addItem, addRun]) add(ledger);
    expect(await ledger.verify()).toBe(3);
  });
});
