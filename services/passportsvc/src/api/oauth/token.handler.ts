import { AppError } from '@dtplatform/errors';
import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { originsOf } from '../../domain/app.js';
import { readTokenRequest } from '../../oauth/token/token-request.js';

/** The paths of version 1 refuse everything with a 403 (contract: OAuth endpoints), those of version 2 as RFC 6749. */
export type ApiVersion = 1 | 2;

/** POST /oauth/token, and GET for refreshing (contract: Authentication). */
export const token =
  ({ oauth }: Deps, version: ApiVersion): Handler =>
  async ({ req, res }) => {
    // Of refusals too (RFC 6749, section 5.1).
    res.setHeader('cache-control', 'no-store');
    res.setHeader('pragma', 'no-cache');
    try {
      const endpoint = await oauth.tokenEndpoint();
      const request = await readTokenRequest(req);
      const app = await endpoint.authenticate(request);
      const { origin } = req.headers;
      if (origin !== undefined && originsOf(app).includes(origin)) {
        res.setHeader('access-control-allow-origin', origin);
        res.setHeader('vary', 'Origin');
      }
      return ok(await endpoint.grant(request, app));
    } catch (error) {
      throw error instanceof AppError ? asRefusal(error, version, req.headers.authorization !== undefined) : error;
    }
  };

function asRefusal(error: AppError, version: ApiVersion, hasHeader: boolean): AppError {
  const { code, message, cause } = error;
  const isRefusal = error.status === 400 || error.status === 401;
  const status = version === 1 && isRefusal ? 403 : error.status;
  const headers = { ...error.headers };
  // Says how to come again (RFC 6749, section 5.2), whatever the status.
  if (error.status === 401 && hasHeader) headers['www-authenticate'] = 'Basic realm="dtplatform"';
  return new AppError({ status, code, message }, { headers, cause });
}
