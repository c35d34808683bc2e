import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { FileParams, LoadStatusQuery } from './filestore.schemas.js';

/** GET /filestore/{fileId}: how far the load of a file is. */
export const getLoad =
  ({ filestore }: Deps): Handler<{ params: FileParams; query: LoadStatusQuery }> =>
  async ({ params, query, access }) => {
    const wanted = { _fileId: params.fileId, _fileVersionId: query._fileVersionId };
    const load = await filestore.status(wanted, { token: access.principal.token, namespace: query.nsfilter });
    const { _fileId, _fileVersionId, _status, _size, _message } = load;
    return ok({ _fileId, _fileVersionId, _status, _size, _message });
  };
