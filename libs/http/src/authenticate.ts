import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { bearerToken } from '@dtplatform/jwt';
import type { TokenVerifier } from '@dtplatform/jwt';
import type { OpenAccess } from '@dtplatform/permissions';
import type { Authenticate } from './run-route.js';

const missing = () =>
  commonErrors.unauthorized({
    message: 'An access token is missing: send it in the header Authorization, after Bearer.',
  });
const malformed = () =>
  commonErrors.unauthorized({
    message: 'The header Authorization is malformed: it must be Bearer, a space and an access token.',
    tokenSent: true,
  });

/** The 401 for a request without a token. @param authorization the header that should hold it */
export const withoutToken = (authorization: string | undefined): AppError =>
  authorization === undefined ? missing() : malformed();

/** Authentication with bearer tokens: checks the signature with the platform's keys, then that the token was not revoked. */
export const bearerAuthentication =
  (verify: TokenVerifier, openAccess: OpenAccess): Authenticate =>
  (req, tokenHeader) => {
    const token = bearerToken(req.headers) ?? (tokenHeader ? bearerToken(req.headers, tokenHeader) : undefined);
    if (!token) throw withoutToken(req.headers.authorization);
    const principal = verify(token);
    // Most tokens are cached, and one promise less per request is measurable.
    return principal instanceof Promise ? principal.then(openAccess) : openAccess(principal);
  };
