import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createOutbox, createTotals, defineMessage, startRelay } from '../src/index.js';
import type { Delta, OutboxEntry } from '../src/index.js';
import { batchWaiting } from '../src/batch-waiting.js';
import { eventually } from '@dtplatform/testing';
import { dropDatabase, log, openDatabase, redisUrl } from './support.js';

const mongo = await openDatabase();
afterAll(() => dropDatabase(mongo));

const outbox = createOutbox(mongo);
const totals = createTotals(mongo);
const entries = mongo.db.collection<OutboxEntry>('outbox');
const created = defineMessage({ queue: 'test.things', name: 'thing.created', payload: z.object({}), batch: 'things' });

const put = (...deltas: Delta[]) => mongo.transaction((session) => outbox.put(session, created, {}, { deltas }));
const thing = (namespace: string, amount = 1): Delta => ({ key: 'thing', namespace, amount });

describe('totals', () => {
  it('are 0 if nothing was counted', async () => {
    expect(await totals.read('thing', ['nobody'])).toBe(0);
    expect(await totals.read('thing', [])).toBe(0);
  });

  it('are correct immediately, before anything is folded', async () => {
    await put(thing('waiting'), thing('waiting'), thing('waiting', -1), { ...thing('waiting'), key: 'other' });
    expect(await totals.read('thing', ['waiting'])).toBe(1);
    expect(await totals.read('other', ['waiting'])).toBe(1);
  });

  it('add up namespaces, each once, folded or not', async () => {
    await put(thing('folded', 5));
    await batchWaiting(mongo);
    await put(thing('folded', 2), thing('fresh', 10));
    expect(await totals.read('thing', ['folded', 'fresh', 'folded', 'nobody'])).toBe(17);
    expect(await totals.read('thing', ['folded'])).toBe(7);
  });

  it('are folded exactly once by concurrent relays', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, n) => put(thing('contended', n))));
    await Promise.all(Array.from({ length: 6 }, () => batchWaiting(mongo)));
    expect(await entries.countDocuments({ 'deltas.namespace': 'contended' })).toBe(0);
    expect(await totals.read('thing', ['contended'])).toBe(780);
  });

  it('never show a wrong sum while a relay folds', async () => {
    await entries.deleteMany({});
    const relay = await startRelay({ mongo, redisUrl, log, queuePrefix: mongo.db.databaseName });
    let written = 0;
    const seen: boolean[] = [];
    const write = async () => {
      for (; written < 150; written++) await put(thing('live'));
    };
    const check = async () => {
      while (written < 150) {
        const before = written;
        const sum = await totals.read('thing', ['live']);
        // The write in progress may or may not be included.
        seen.push(sum >= before && sum <= written + 1);
      }
    };
    try {
      await Promise.all([write(), check(), check()]);
      expect(seen.length).toBeGreaterThan(10);
      expect(seen.filter((isRight) => !isRight)).toEqual([]);

      await eventually(async () => expect(await entries.countDocuments({ checkAt: { $exists: false } })).toBe(0));
      expect(await totals.read('thing', ['live'])).toBe(150);
    } finally {
      await relay.stop();
    }
  });

  it('are found by indexes while they wait', async () => {
    await put(thing('planned'));
    const filters = {
      waiting_deltas: { deltas: { $elemMatch: { namespace: { $in: ['planned', 'b'] }, key: 'thing' } } },
      batch: { batch: { $exists: true } },
    };
    for (const [index, filter] of Object.entries(filters)) {
      const plan = await entries.find(filter).explain('executionStats');
      expect(JSON.stringify(plan.queryPlanner)).toContain(`"indexName":"${index}"`);
    }
  });
});
