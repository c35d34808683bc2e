import type { IncomingMessage } from 'node:http';
import { AppError, commonErrors } from '@dtplatform/errors';
import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import { originsOf } from '../../directory/apps/app.js';
import { errors } from '../../errors.js';
import { bodyParameters, merged, queryParameters, single } from '../../requests/parameters.http.js';
import type { Parameters } from '../../requests/parameters.http.js';
import type { TokenRequest } from './grant.js';
import { basicCredentials } from './tokens.js';
import type { Tokens } from './tokens.js';

/** Maximum lengths of parameters; `single` limits the others. */
const MAX_LENGTH = {
  grant_type: 128,
  client_id: 64,
  client_secret: 1024,
  code: 256,
  code_verifier: 1024,
  refresh_token: 256,
  refresh_code: 256,
  scope: 256,
  subject: 128,
  subject_type: 32,
  subject_token: 8192,
  subject_token_type: 128,
  requested_token_type: 128,
  actor_token: 8192,
};

const read = (parameters: Parameters, name: keyof typeof MAX_LENGTH): string | undefined =>
  single(parameters, name, MAX_LENGTH[name]);

/**
 * Parses a token request. Parameters may be sent as form, multipart or query; credentials in a Basic header, with or
 * without an additional client_id, or as parameters.
 * @throws invalidRequest, invalidClient, methodNotAllowed, payloadTooLarge, unsupportedMediaType
 */
async function readTokenRequest(req: IncomingMessage): Promise<TokenRequest> {
  const parameters = merged(queryParameters(req), await bodyParameters(req));
  const grant = grantParameters(parameters);
  if (req.method === 'GET' && grant.grantType !== 'refresh_token') {
    throw commonErrors.methodNotAllowed({ headers: { allow: 'POST' } });
  }
  return {
    ...grant,
    ...clientParameters(parameters, req.headers.authorization),
    code: read(parameters, 'code'),
    redirectUri: single(parameters, 'redirect_uri'),
    codeVerifier: read(parameters, 'code_verifier'),
    scope: read(parameters, 'scope'),
    exchange: exchangeParameters(parameters),
  };
}

/**
 * `refresh_code` is an alias of the grant `refresh_token` and of its parameter (docs/contract.md, "Authentication").
 */
function grantParameters(parameters: Parameters): Pick<TokenRequest, 'grantType' | 'refreshToken'> {
  const sent = read(parameters, 'grant_type');
  if (sent === undefined) throw errors.invalidRequest({ message: 'grant_type is missing.' });
  return {
    grantType: sent === 'refresh_code' ? 'refresh_token' : sent,
    refreshToken: read(parameters, 'refresh_token') ?? read(parameters, 'refresh_code'),
  };
}

const exchangeParameters = (parameters: Parameters): TokenRequest['exchange'] => ({
  subject: read(parameters, 'subject'),
  subjectType: read(parameters, 'subject_type'),
  subjectToken: read(parameters, 'subject_token'),
  subjectTokenType: read(parameters, 'subject_token_type'),
  requestedTokenType: read(parameters, 'requested_token_type'),
  actorToken: read(parameters, 'actor_token'),
});

function clientParameters(
  parameters: Parameters,
  authorization: string | undefined,
): Pick<TokenRequest, 'appId' | 'secret'> {
  const basic = basicCredentials(authorization);
  const id = read(parameters, 'client_id');
  const secret = read(parameters, 'client_secret');
  if (basic && secret !== undefined) {
    throw errors.invalidRequest({ message: 'The secret must be sent in one place only.' });
  }
  if (basic && id !== undefined && id !== basic.appId) {
    throw errors.invalidRequest({ message: 'client_id differs from the one in the Authorization header.' });
  }
  const appId = basic?.appId ?? id;
  if (appId === undefined) throw errors.invalidClient({ message: 'client_id is missing.' });
  // An empty secret is treated as absent (RFC 6749, section 2.3.1).
  return { appId, secret: basic?.secret || secret };
}

/**
 * Version 1 responds to every rejection with 403 (docs/contract.md, "OAuth endpoints"), version 2 as RFC 6749 requires.
 */
export type ApiVersion = 1 | 2;

/** POST /oauth/token, and GET for refreshing (docs/contract.md, "Authentication"). */
export const issueToken =
  ({ tokens }: { tokens: Tokens }, version: ApiVersion): Handler =>
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
      throw error instanceof AppError ? asRejection(error, version, req.headers.authorization !== undefined) : error;
    }
  };

function asRejection(error: AppError, version: ApiVersion, hasHeader: boolean): AppError {
  const { code, message, cause } = error;
  const isRejection = error.status === 400 || error.status === 401;
  const status = version === 1 && isRejection ? 403 : error.status;
  const headers = { ...error.headers };
  // The challenge is required whatever the status (RFC 6749, section 5.2).
  if (error.status === 401 && hasHeader) headers['www-authenticate'] = 'Basic realm="dtplatform"';
  return new AppError({ status, code, message }, { headers, cause });
}
