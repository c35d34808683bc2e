import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { ListOrchestratorsQuery } from './orchestrators.schemas.js';
import { showOrchestrator } from './show-orchestrator.js';

/** GET /orchestrators: those of the namespace that the caller may read. */
export const listOrchestrators =
  ({ orchestrators }: Deps): Handler<{ query: ListOrchestratorsQuery }> =>
  async ({ query: { nsfilter, _offset, _pageSize }, access }) => {
    const { list, total } = await orchestrators.list(nsfilter, { offset: _offset, pageSize: _pageSize }, access);
    return ok({ _offset, _pageSize, _total: total, _list: list.map(showOrchestrator) });
  };
