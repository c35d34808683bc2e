import pLimit from 'p-limit';
import { FileSummaryPage, ResourceId } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';

/** The limit of filesvc per call. */
const MAX_IDS = 200;

/** Per request, so that one request does not monopolize filesvc. */
const CALLS_AT_ONCE = 4;

/** Asks filesvc on behalf of the caller. */
export function remoteFiles(filesvc: ServiceClient) {
  return {
    /** Ids of files that do not exist or that the caller may not read. @throws 503 if filesvc is unavailable */
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
        // The first failure cancels the other calls.
        ended.abort();
      }
      return missing;
    },
  };
}

export type Files = ReturnType<typeof remoteFiles>;

const chunked = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, n) => ids.slice(n * MAX_IDS, (n + 1) * MAX_IDS));

/** A rejection by filesvc means that the file does not exist for this caller. */
function rejection(error: unknown): { _list: never[] } {
  if (error instanceof ServiceCallError && [403, 404].includes(error.status)) return { _list: [] };
  throw error;
}
