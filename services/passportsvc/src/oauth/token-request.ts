import type { IncomingMessage } from 'node:http';
import { stringify } from 'node:querystring';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import { basicCredentials } from './basic-credentials.js';
import { bodyParameters, joined, queryParameters, single } from './parameters.js';
import type { Parameters } from './parameters.js';
import { forLibrary } from './library-request.js';
import type { ApiVersion, LibraryRequest } from './library-request.js';

/** What the token endpoint takes; clients also send other things, which do not matter. */
const NAMES = ['code', 'redirect_uri', 'code_verifier', 'scope'] as const;

/**
 * A token request as the OAuth library takes it: a POST with a form. Parameters may come as form, multipart or query;
 * credentials as a form-encoded or plain Basic header, with or without a client_id beside it.
 * @throws invalid_request, invalid_client, 405, 413, 415
 */
export async function tokenRequest(req: IncomingMessage, version: ApiVersion, issuer: URL): Promise<LibraryRequest> {
  const parameters = joined(queryParameters(req), await bodyParameters(req));
  const grant = grantParameters(parameters);
  if (req.method === 'GET' && grant.grant_type !== 'refresh_token') {
    throw commonErrors.methodNotAllowed({ headers: { allow: 'POST' } });
  }
  const basic = basicCredentials(req.headers.authorization);
  const client = clientParameters(parameters, basic);
  const form: Record<string, string> = { ...grant, ...client };
  for (const name of NAMES) {
    const value = single(parameters, name);
    if (value !== undefined) form[name] = value;
  }
  return forLibrary(req, {
    issuer,
    url: '/token',
    form: stringify(form),
    about: { version, secretSent: 'client_secret' in client, basicSent: basic !== undefined },
  });
}

/** `refresh_code` is an alias of the grant `refresh_token` and of its parameter (contract: Authentication, 3). */
function grantParameters(parameters: Parameters): Record<string, string> {
  const sent = single(parameters, 'grant_type');
  if (sent === undefined) throw errors.invalidRequest({ message: 'grant_type is missing.' });
  if (sent !== 'refresh_token' && sent !== 'refresh_code') return { grant_type: sent };
  const token = single(parameters, 'refresh_token') ?? single(parameters, 'refresh_code');
  return { grant_type: 'refresh_token', ...(token === undefined ? {} : { refresh_token: token }) };
}

function clientParameters(parameters: Parameters, basic: ReturnType<typeof basicCredentials>): Record<string, string> {
  const id = single(parameters, 'client_id');
  const secret = single(parameters, 'client_secret');
  if (basic && secret !== undefined) {
    throw errors.invalidRequest({ message: 'The secret must be sent in one place only.' });
  }
  if (basic && id !== undefined && id !== basic.appId) {
    throw errors.invalidRequest({ message: 'client_id is not the one in the Authorization header.' });
  }
  const appId = basic?.appId ?? id;
  if (appId === undefined) throw errors.invalidClient();
  // An empty secret is none (RFC 6749, section 2.3.1).
  const sent = basic?.secret || secret;
  return { client_id: appId, ...(sent === undefined ? {} : { client_secret: sent }) };
}
