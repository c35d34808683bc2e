import type { IncomingMessage } from 'node:http';
import { stringify } from 'node:querystring';
import { normalChallenge } from '../../../domain/oauth/pkce.js';
import { GRANTED_SCOPE } from '../../../domain/oauth/scopes.js';
import { queryParameters } from '../../parameters.js';
import { IMPLICIT } from './implicit.js';

/** The parameters of the authorize endpoint; all others are ignored. */
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

/** Carries the requested scope past the library, which drops unknown scopes before they can be refused. */
export const REQUESTED_SCOPE = 'requested_scope';

/** The URL, below the issuer, of an authorization request for the OAuth library. */
export function authorizeUrl(req: IncomingMessage): string {
  const sent = queryParameters(req);
  const kept = Object.fromEntries(NAMES.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]]));
  if (typeof kept.code_challenge === 'string') kept.code_challenge = normalChallenge(kept.code_challenge);
  Object.assign(kept, responseParameters(kept.response_type, kept.response_mode));
  // A parameter without a value counts as missing (RFC 6749, section 3.1).
  if (!Array.isArray(kept.scope))
    Object.assign(kept, { scope: GRANTED_SCOPE, [REQUESTED_SCOPE]: kept.scope || undefined });
  return `/authorize?${stringify(kept)}`;
}

/** The library supports the implicit grant only in combination with the code grant. */
function responseParameters(type: string | string[] | undefined, mode: string | string[] | undefined) {
  if (type === 'token') {
    const isFragment = mode === undefined || mode === 'fragment';
    return { response_type: 'code token', response_mode: isFragment ? IMPLICIT : 'unsupported' };
  }
  // Values that only the line above may set are replaced by one that the library refuses.
  return {
    ...(type === undefined || type === 'code' ? {} : { response_type: 'unsupported' }),
    ...(mode === IMPLICIT ? { response_mode: 'unsupported' } : {}),
  };
}
