import type { PermissionEntry } from '@dtplatform/contracts';
import { isRejection, isUnavailable } from '@dtplatform/errors';
import { startSweep } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import type { GrantSource } from '@dtplatform/permissions';
import type { Mongo } from './connect.js';
import type { ClientSession } from './driver.js';
import { notAfter } from './filters.js';
import { defineModel, id, json, newId } from './model.js';

/** Permissions of a change, until they are granted. */
interface GrantMark {
  _id: string;
  entries: PermissionEntry[];
  /** When a sweep may grant them. */
  dueAt: Date;
}

export const grantMarkModel = defineModel<GrantMark>(
  'grant_marks',
  { _id: id, entries: json, dueAt: Date },
  { indexes: [{ key: { dueAt: 1 }, name: 'due' }] },
);
/** Longer than the process that made the change needs to grant them. */
const WAIT_MS = 30_000;
/** Delay before a sweep retries. */
const TRY_AGAIN_MS = 5_000;

/** Stores permissions for a sweep to grant, in the transaction of the change that entails them. */
export const markGrants = (mongo: Mongo, entries: PermissionEntry[], session: ClientSession): Promise<void> =>
  insertMark(mongo, { _id: newId(), entries, dueAt: new Date() }, session);

async function insertMark(mongo: Mongo, mark: GrantMark, session: ClientSession): Promise<void> {
  if (mark.entries.length > 0) await mongo.model(grantMarkModel).insertMany([mark], { session });
}

export interface PendingGrants {
  /**
   * Runs a transaction and grants the permissions after the commit; a sweep does so if this process cannot. Grants
   * nothing if the result is false or undefined, which means that nothing was written.
   */
  transaction<T>(entries: PermissionEntry[], work: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Grants all due marks. */
  finishDue(): Promise<void>;
}

/** Grants permissions after the commit of a change, so that a failed change grants nothing. */
export function createPendingGrants(mongo: Mongo, source: Pick<GrantSource, 'grant'>, log: Logger): PendingGrants {
  const marks = mongo.model(grantMarkModel);

  async function finish({ _id, entries }: GrantMark): Promise<void> {
    try {
      await source.grant(entries);
    } catch (error) {
      // The namespace was closed or the subject deleted in the meantime.
      if (!isRejection(error)) throw error;
      log.warn({ err: error, mark: _id }, 'pending permissions were rejected');
    }
    await marks.deleteOne({ _id });
  }

  const logFailure = (error: unknown, { _id }: GrantMark) =>
    log.warn({ err: error, mark: _id }, 'pending permissions could not be granted; the next sweep will retry');

  return {
    async transaction(entries, work) {
      if (entries.length === 0) return mongo.transaction(work);
      const mark: GrantMark = { _id: newId(), entries, dueAt: new Date(Date.now() + WAIT_MS) };
      const result = await mongo.transaction(async (session) => {
        const written = await work(session);
        if (written) await insertMark(mongo, mark, session);
        return written;
      });
      // The change is committed; the sweep retries the grant.
      if (result) await finish(mark).catch((error: unknown) => logFailure(error, mark));
      return result;
    },
    async finishDue() {
      const due = { dueAt: notAfter(new Date()) };
      for (;;) {
        const later = { $set: { dueAt: new Date(Date.now() + TRY_AGAIN_MS) } };
        const mark = await marks.findOneAndUpdate(due, later).lean();
        if (!mark) return;
        await finish(mark).catch((error: unknown) => {
          // The others would fail, too.
          if (isUnavailable(error)) throw error;
          logFailure(error, mark);
        });
      }
    },
  };
}

interface Process {
  pendingGrants: Pick<PendingGrants, 'finishDue'>;
  log: Logger;
  lifecycle: { onStop(name: string, stop: () => Promise<unknown>): void };
}

/** Grants due marks periodically, until the process stops. Several processes may run it concurrently. */
export function sweepGrants({ pendingGrants, log, lifecycle }: Process): void {
  // Not counted as recovered work: grants of changes made by workers normally end here.
  const recover = () => pendingGrants.finishDue().then(() => 0);
  const sweep = startSweep({ what: 'pending permissions', recover, log, everyMs: 1_000, idleMs: 8_000 });
  lifecycle.onStop('sweep of pending permissions', () => sweep.stop());
}
