import { AppError } from '@dtplatform/errors';
import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { BASIC_CHALLENGE, refusalStatus } from '../../oauth/answers.js';
import { authorizeRequest } from '../../oauth/authorize-request.js';
import { forLibrary } from '../../oauth/library-request.js';
import type { ApiVersion, OAuthRequest } from '../../oauth/library-request.js';
import { tokenRequest } from '../../oauth/token-request.js';
import type { ResumeParams } from './oauth.schemas.js';

/** GET /oauth/authorize: the OAuth server shows the sign-in page or leads back to the app. */
export const authorize =
  ({ oauth }: Deps, version: ApiVersion): Handler =>
  async ({ req, res }) => {
    await oauth.answer(authorizeRequest(req, version, oauth.issuer), res);
    return ok(undefined);
  };

/** POST /oauth/token, and GET for refreshing: the OAuth server answers. */
export const token =
  ({ oauth }: Deps, version: ApiVersion): Handler =>
  async ({ req, res }) => {
    res.setHeader('cache-control', 'no-store');
    try {
      await oauth.answer(await tokenRequest(req, version, oauth.issuer), res);
    } catch (error) {
      throw error instanceof AppError ? asRefusal(error, version, req.headers.authorization !== undefined) : error;
    }
    return ok(undefined);
  };

/** GET /oauth/authorize/{uid}: after the sign-in, the OAuth server leads back to the app. */
export const resume =
  ({ oauth }: Deps): Handler<{ params: ResumeParams }> =>
  async ({ params, req, res }) => {
    const url = `/authorize/${encodeURIComponent(params.uid)}`;
    await oauth.answer(forLibrary(req, { issuer: oauth.issuer, url, about: nothingSent() }), res);
    return ok(undefined);
  };

/** What the OAuth server only reads to callers: its keys and what it can do. */
export const document =
  ({ oauth }: Deps, path: string): Handler =>
  async ({ req, res }) => {
    await oauth.answer(forLibrary(req, { issuer: oauth.issuer, url: path, about: nothingSent() }), res);
    return ok(undefined);
  };

const nothingSent = (): OAuthRequest => ({ version: 1, secretSent: false, basicSent: false });

function asRefusal(error: AppError, version: ApiVersion, basicSent: boolean): AppError {
  const status = refusalStatus(version, error.status);
  const headers = { ...error.headers };
  if (status === 401 && basicSent) headers['www-authenticate'] = BASIC_CHALLENGE;
  return new AppError({ status, code: error.code, message: error.message }, { headers, cause: error.cause });
}
