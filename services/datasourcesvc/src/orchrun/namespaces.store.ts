import { oneOf } from '@dtplatform/mongo';
import type { Model, Mongo } from '@dtplatform/mongo';
import type { NamespaceContents } from '@dtplatform/queue';
import { componentCallModel } from '../componentcalls/component-calls.store.js';
import { orchestratorModel } from '../orchestrators/orchestrator.model.js';
import type { Cancellations } from './cancellations.client.js';
import type { Run } from './run.js';
import { runModel } from './run.model.js';
import type { RunStore } from './runs.store.js';

const BATCH = 100;

interface Placed {
  _id: string;
  _namespaces: string[];
}

interface Deps {
  mongo: Mongo;
  runStore: Pick<RunStore, 'cancel'>;
  cancellations: Pick<Cancellations, 'announce'>;
}

/** Orchestrators and runs in namespaces. Orchestrators that are also in other namespaces stay there. */
export function createNamespaceContents({ mongo, runStore, cancellations }: Deps): NamespaceContents {
  const orchestrators = mongo.model(orchestratorModel);
  const runs = mongo.model(runModel);
  const calls = mongo.model(componentCallModel);

  /** A run works in one namespace, even if its orchestrator is in several. */
  async function cancelIn(namespaces: string[], { _id, _status, _work }: Run): Promise<void> {
    const hasEnded = _status !== 'QUEUED' && _status !== 'RUNNING';
    if (hasEnded || !namespaces.includes(_work.namespace)) return;
    const cancelled = await runStore.cancel(_id, undefined);
    if (cancelled) await cancellations.announce(cancelled);
  }

  async function leave<D extends Placed>(model: Model<D>, found: Placed[], left: string[], $set: object) {
    const stays = ({ _namespaces }: Placed) => _namespaces.some((namespace) => !left.includes(namespace));
    const these = (placed: Placed[]) => ({ _id: oneOf(placed.map(({ _id }) => _id)) });
    await model.deleteMany(these(found.filter((one) => !stays(one))) as never);
    const update = { $pullAll: { _namespaces: left }, $set, $inc: { _revision: 1 } };
    await model.updateMany({ ...these(found.filter(stays)), _namespaces: oneOf(left) } as never, update);
  }

  /** A schedule runs in one namespace, even if its orchestrator is in several. */
  const endSchedules = (namespaces: string[], $set: object) =>
    orchestrators.updateMany(
      { '_schedule.namespace': oneOf(namespaces) },
      { $set: { ...$set, _class: 'NORMAL' }, $unset: { _orchschedule: 1, _schedule: 1 } },
    );

  return {
    /** Orchestrators first, so that they start no more runs. */
    async removeBatch(namespaces) {
      const held = { _namespaces: oneOf(namespaces) };
      const _updatedat = String(Date.now());
      const touched = { _updatedat, _updatedby: 'platform' };
      await endSchedules(namespaces, touched);
      const placed = await orchestrators.find(held, { _namespaces: 1 }).limit(BATCH).lean<Placed[]>();
      await leave(orchestrators, placed, namespaces, touched);
      const fields = { _namespaces: 1, _status: 1, '_work.namespace': 1 };
      const found = await runs.find(held, fields).limit(BATCH).lean<Run[]>();
      for (const run of found) await cancelIn(namespaces, run);
      // Results belong to the namespace.
      const ofThese = found.filter(({ _work }) => namespaces.includes(_work.namespace)).map(({ _id }) => _id);
      await calls.deleteMany({ _runId: oneOf(ofThese) });
      await leave(runs, found, namespaces, { _updatedat });
      return placed.length + found.length > 0;
    },
  };
}
