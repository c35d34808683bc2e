import { AppError } from '@dtplatform/errors';
import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { originsOf } from '../../domain/apps/app.js';
import { readTokenRequest } from './read-token-request.js';

/** Version 1 answers every refusal with 403 (docs/contract.md, "OAuth endpoints"), version 2 as RFC 6749 requires. */
export type ApiVersion = 1 | 2;

/** POST /oauth/token, and GET for refreshing (docs/contract.md, "Authentication"). */
export const issueToken =
  ({ tokens }: Deps, version: ApiVersion): Handler =>
  async ({ req, res }) => {
    // Errors need these headers too (RFC 6749, section 5.1).
    res.setHeader('cache-control', 'no-store');
    res.setHeader('pragma', 'no-cache');
    try {
      const request = await readTokenRequest(req);
      const app = await tokens.authenticate(request);
      const { origin } = req.headers;
      if (origin !== undefined && originsOf(app).includes(origin)) {
        res.setHeader('access-control-allow-origin', origin);
        res.setHeader('vary', 'Origin');
      }
      return ok(await tokens.grant(request, app));
    } catch (error) {
      throw error instanceof AppError ? asRefusal(error, version, req.headers.authorization !== undefined) : error;
    }
  };

function asRefusal(error: AppError, version: ApiVersion, hasHeader: boolean): AppError {
  const { code, message, cause } = error;
  const isRefusal = error.status === 400 || error.status === 401;
  const status = version === 1 && isRefusal ? 403 : error.status;
  const headers = { ...error.headers };
  // The challenge is required whatever the status (RFC 6749, section 5.2).
  if (error.status === 401 && hasHeader) headers['www-authenticate'] = 'Basic realm="dtplatform"';
  return new AppError({ status, code, message }, { headers, cause });
}
