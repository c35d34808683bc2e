import type { Filter, UpdateFilter } from 'mongodb';
import { findPage, isDuplicateKey, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { RunEnd, RunFilter, RunStore } from '../../domain/orchrun/ports.js';
import type { Run, RunStatus } from '../../domain/orchrun/run.js';
import { inScope } from '../in-scope.js';
import { RUNS } from '../indexes.js';
import { LOST_AFTER_MS } from './lost-runs.js';
import type { EnqueueRuns } from './lost-runs.js';
import { freeSlots } from './queue-slots.js';

/** Enough even when concurrent callers contend for every slot. */
const MAX_ENQUEUE_ATTEMPTS = 20;
const UNENDED: RunStatus[] = ['QUEUED', 'RUNNING'];
/** Fields that a run no longer has once it has ended. */
const ENDED = { '_work.checkAt': 1, '_work.claim': 1, '_work.slots': 1 } as const;

/** Runs in MongoDB. */
export function createRunStore(mongo: Mongo, enqueue: EnqueueRuns): RunStore {
  const runs = mongo.db.collection<Run>(RUNS);
  const now = () => String(Date.now());

  const held = (run: Run): Filter<Run> => ({ _id: run._id, '_work.claim': run._work.claim });
  const write = async (filter: Filter<Run>, update: UpdateFilter<Run>) => {
    const { matchedCount } = await runs.updateOne(filter, update, { ignoreUndefined: true });
    return matchedCount === 1;
  };

  const insertQueued = (run: Run) =>
    mongo.transaction(async (session) => {
      const slots = await freeSlots(runs, run._namespaces, session);
      const _work = { ...run._work, slots, checkAt: Date.now() + LOST_AFTER_MS };
      await runs.insertOne({ ...run, _work }, { session, ignoreUndefined: true });
      await enqueue(session, [run._id]);
    });

  return {
    async enqueue(run) {
      for (let attempt = 1; ; attempt++) {
        try {
          await insertQueued(run);
          return;
        } catch (error) {
          if (!isDuplicateKey(error, 'queue_slots') || attempt === MAX_ENQUEUE_ATTEMPTS) throw error;
        }
      }
    },
    async insertClaimed(run) {
      const startedAt = Date.now();
      const _work = { ...run._work, claim: newId(), claims: 1, startedAt, checkAt: startedAt + LOST_AFTER_MS };
      const claimed: Run = { ...run, _status: 'RUNNING', _work };
      await runs.insertOne(claimed, { ignoreUndefined: true });
      return claimed;
    },
    async claim(runId) {
      const startedAt = Date.now();
      const run = await runs.findOneAndUpdate(
        { _id: runId, _status: { $in: UNENDED } },
        {
          $set: {
            _status: 'RUNNING',
            _updatedat: String(startedAt),
            '_work.claim': newId(),
            '_work.checkAt': startedAt + LOST_AFTER_MS,
          },
          // Sets it only where it is absent: the time limit covers all processes that work on the run.
          $min: { '_work.startedAt': startedAt },
          $inc: { '_work.claims': 1 },
          $unset: { '_work.slots': 1 },
        },
        { returnDocument: 'after' },
      );
      return run ?? undefined;
    },
    progress: (run, done) =>
      write(held(run), {
        $set: { '_work.done': done, '_work.checkAt': Date.now() + LOST_AFTER_MS, _updatedat: now() },
      }),
    heartbeat: (run) => write(held(run), { $set: { '_work.checkAt': Date.now() + LOST_AFTER_MS } }),
    end: (run, end) => write(held(run), { $set: ended(end, now()), $unset: ENDED }),
    cancel: (_id) =>
      write({ _id, _status: { $in: UNENDED } }, { $set: { _status: 'CANCELLED', _updatedat: now() }, $unset: ENDED }),
    find: async (id) => (await runs.findOne({ _id: id })) ?? undefined,
    async list(scope, filter, paging) {
      const wanted = { ...inScope(scope, '_orchid'), ...matching(filter) };
      const [list, total] = await Promise.all([
        findPage(runs, wanted, { ...paging, sort: { _createdat: -1, _id: -1 } }),
        runs.countDocuments(wanted),
      ]);
      return { list, total };
    },
  };
}

const ended = ({ status, done, statusMsg, result }: RunEnd, _updatedat: string) => ({
  _status: status,
  _updatedat,
  _statusmsg: statusMsg,
  _result: result,
  '_work.done': done,
});

function matching({ _status, _orchid, startDate, endDate }: RunFilter): Filter<Run> {
  const created = {
    ...(startDate === undefined ? {} : { $gte: timestampText(startDate) }),
    ...(endDate === undefined ? {} : { $lte: timestampText(endDate) }),
  };
  return {
    ...(_status ? { _status: { $in: _status } } : {}),
    ...(_orchid === undefined ? {} : { _orchid }),
    ...(Object.keys(created).length > 0 ? { _createdat: created } : {}),
  };
}

/** Pads timestamps to the 13 digits of present-day ones, so that they compare as text in order of time. */
const timestampText = (ms: number) => String(Math.max(0, ms)).padStart(13, '0');
