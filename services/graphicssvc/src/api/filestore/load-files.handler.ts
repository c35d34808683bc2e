import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { LoadFilesBody, LoadFilesQuery } from './filestore.schemas.js';

/** PUT /filestore: accepts files for the store; the contract's answer is a 200 with no body. */
export const loadFiles =
  ({ filestore }: Deps): Handler<{ query: LoadFilesQuery; body: LoadFilesBody }> =>
  async ({ body, query, access }) => {
    await filestore.request(body, { token: access.principal.token, namespace: query.nsfilter });
    return { status: 200 };
  };
