import { FileSummaryPage, ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { Files } from '../../domain/relateditems/ports.js';

/** As many as filesvc takes at once. */
const MAX_IDS = 200;

/** Asks filesvc, in the caller's name. */
export function remoteFiles(filesvc: ServiceClient): Files {
  return {
    async missing(ids, { token, namespace, signal }) {
      const missing = new Set(ids);
      const possible = ids.filter((id) => ResourceId.safeParse(id).success);
      for (let start = 0; start < possible.length; start += MAX_IDS) {
        const query = { nsfilter: namespace, _ids: possible.slice(start, start + MAX_IDS), _pageSize: MAX_IDS };
        const found = await filesvc
          .call({ path: '/filesvc/api/v1/files', query, token, signal }, FileSummaryPage)
          .catch(refusal);
        for (const { _id, _type } of found._list) if (_type === 'file') missing.delete(_id);
      }
      return missing;
    },
  };
}

/** What filesvc refuses to show is not there for this caller. */
function refusal(error: unknown): { _list: never[] } {
  if (!(error instanceof ServiceCallError)) throw error;
  if (error.status === 401) throw commonErrors.unauthorized({ tokenSent: true, cause: error });
  return { _list: [] };
}
