import pLimit from 'p-limit';
import { FileSummaryPage, ResourceId } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';

/** As many as filesvc takes at once. */
const MAX_IDS = 200;

/** Of one request. Others shall reach filesvc meanwhile. */
const CALLS_AT_ONCE = 4;

/** Asks filesvc, in the caller's name. */
export function remoteFiles(filesvc: ServiceClient) {
  return {
    /** The ids that name no file, or one that the caller may not read. @throws 503 while filesvc is unavailable */
    async missing(
      ids: string[],
      { token, namespace, signal }: { token: string; namespace: string; signal: AbortSignal },
    ): Promise<Set<string>> {
      const missing = new Set(ids);
      const possible = ids.filter((id) => ResourceId.safeParse(id).success);
      const ended = new AbortController();
      const either = AbortSignal.any([signal, ended.signal]);
      async function ask(_ids: string[]): Promise<void> {
        either.throwIfAborted();
        const query = { nsfilter: namespace, _ids, _pageSize: MAX_IDS };
        const call = { path: '/filesvc/api/v1/files', query, token, signal: either };
        const found = await filesvc.call(call, FileSummaryPage).catch(rejection);
        for (const { _id, _type } of found._list) if (_type === 'file') missing.delete(_id);
      }
      try {
        await pLimit(CALLS_AT_ONCE).map(chunked(possible), ask);
      } finally {
        // The first call that fails ends the others.
        ended.abort();
      }
      return missing;
    },
  };
}

export type Files = ReturnType<typeof remoteFiles>;

const chunked = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, n) => ids.slice(n * MAX_IDS, (n + 1) * MAX_IDS));

/** What filesvc declines to show is not there for this caller. */
function rejection(error: unknown): { _list: never[] } {
  if (error instanceof ServiceCallError && [403, 404].includes(error.status)) return { _list: [] };
  throw error;
}
