import type { IncomingMessage } from 'node:http';
import { stringify } from 'node:querystring';
import { queryParameters } from '../parameters.js';
import { normalChallenge } from '../pkce.js';
import { GRANTED_SCOPE } from '../scopes.js';
import { IMPLICIT } from './implicit.js';
import { forLibrary } from './library-request.js';
import type { LibraryRequest } from './library-request.js';

/** What the authorize endpoint takes; clients also send other things, which do not matter. */
const NAMES = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'response_mode',
  'prompt',
  'login_hint',
];

/** What was asked for as scope; the library would drop what it does not know before it could be refused. */
export const REQUESTED_SCOPE = 'requested_scope';

/** An authorization request as the OAuth library takes it. */
export function authorizeRequest(req: IncomingMessage, issuer: URL): LibraryRequest {
  const sent = queryParameters(req);
  const kept = Object.fromEntries(NAMES.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]]));
  if (typeof kept.code_challenge === 'string') kept.code_challenge = normalChallenge(kept.code_challenge);
  Object.assign(kept, responseParameters(kept.response_type, kept.response_mode));
  if (!Array.isArray(kept.scope)) Object.assign(kept, { scope: GRANTED_SCOPE, [REQUESTED_SCOPE]: kept.scope });
  return forLibrary(req, issuer, `/authorize?${stringify(kept)}`);
}

/** The library knows the implicit grant only together with the code grant. */
function responseParameters(type: string | string[] | undefined, mode: string | string[] | undefined) {
  if (type === 'token') return { response_type: 'code token', response_mode: IMPLICIT };
  // Whoever asks for what only we may ask for gets the library's refusal.
  return {
    ...(type === undefined || type === 'code' ? {} : { response_type: 'unsupported' }),
    ...(mode === IMPLICIT ? { response_mode: 'unsupported' } : {}),
  };
}
