import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { authorizeRequest } from '../../oauth/authorize/authorize-request.js';
import { forLibrary } from '../../oauth/authorize/library-request.js';
import type { ResumeParams } from './oauth.schemas.js';

/** GET /oauth/authorize: the OAuth library shows the sign-in page or leads back to the app. */
export const authorize =
  ({ oauth }: Deps): Handler =>
  async ({ req, res }) => {
    await oauth.answer(authorizeRequest(req, oauth.issuer), res);
    return ok(undefined);
  };

/** GET /oauth/authorize/{uid}: after the sign-in, the OAuth library leads back to the app. */
export const resume =
  ({ oauth }: Deps): Handler<{ params: ResumeParams }> =>
  async ({ params, req, res }) => {
    await oauth.answer(forLibrary(req, oauth.issuer, `/authorize/${encodeURIComponent(params.uid)}`), res);
    return ok(undefined);
  };

/** What the OAuth library only reads to callers: the keys, and what the server can do. */
export const document =
  ({ oauth }: Deps, path: string): Handler =>
  async ({ req, res }) => {
    await oauth.answer(forLibrary(req, oauth.issuer, path), res);
    return ok(undefined);
  };
