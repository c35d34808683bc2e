import type { z } from 'zod';
import { stepStatus } from '../../domain/run.js';
import type { Run as StoredRun } from '../../domain/run.js';
import type { Run } from './runs.schemas.js';

/** A run as callers see it. */
export function showRun(run: StoredRun & { _irn?: string }): z.infer<typeof Run> {
  const { _id, _irn, _work, _statusmsg, _result = null, orchrunsteps, ...fields } = run;
  return {
    id: _id,
    ...fields,
    _result,
    orchrunsteps: orchrunsteps.map((step, index) => {
      const _status = stepStatus(run, index);
      return { ...step, _status, _statusmsg: _status === 'ERROR' ? (_statusmsg ?? '') : '' };
    }),
  };
}
