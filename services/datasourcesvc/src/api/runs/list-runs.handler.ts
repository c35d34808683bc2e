import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { RunStatus } from '../../domain/run.js';
import type { ListRunsQuery } from './runs.schemas.js';
import { showRun } from './show-run.js';

/** GET /orchrun: runs of the orchestrators that the caller may read, newest first. */
export const listRuns =
  ({ runs }: Deps): Handler<{ query: ListRunsQuery }> =>
  async ({ query, access }) => {
    const { nsfilter, _offset, _pageSize } = query;
    const filter = {
      statuses: query._status as RunStatus[] | undefined,
      orchestratorId: query._orchid,
      fromMs: query.startDate,
      toMs: query.endDate,
    };
    const { list, total } = await runs.list(nsfilter, filter, { offset: _offset, pageSize: _pageSize }, access);
    return ok({ _offset, _pageSize, _total: total, _list: list.map(showRun) });
  };
