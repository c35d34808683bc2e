import type { IncomingMessage } from 'node:http';
import { stringify } from 'node:querystring';
import { queryParameters } from './parameters.js';
import { normalChallenge } from './pkce.js';
import { forLibrary } from './library-request.js';
import type { ApiVersion, LibraryRequest } from './library-request.js';

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

/** The response mode of our own that answers without the code that the library issues beside an implicit token. */
export const IMPLICIT = 'implicit';

/** An authorization request as the OAuth library takes it. */
export function authorizeRequest(req: IncomingMessage, version: ApiVersion, issuer: URL): LibraryRequest {
  const sent = queryParameters(req);
  const kept = Object.fromEntries(NAMES.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]]));
  if (typeof kept.code_challenge === 'string') kept.code_challenge = normalChallenge(kept.code_challenge);
  Object.assign(kept, responseParameters(kept.response_type, kept.response_mode));
  return forLibrary(req, {
    issuer,
    url: `/authorize?${stringify(kept)}`,
    about: { version, secretSent: false, basicSent: false },
  });
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
