import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import type { DeclaredError } from '@dtplatform/errors';
import { header } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { readByHandler } from '../pages/forms.reference.js';
import type { ApiVersion } from './issue-token.handler.js';

/** Why no token is issued (RFC 6749, section 5.2). Version 1 says so with other statuses. */
export function tokenErrors(version: ApiVersion): DeclaredError[] {
  return [
    errors.invalidRequest,
    errors.invalidClient,
    errors.invalidGrant,
    errors.unauthorizedClient,
    errors.unsupportedGrantType,
    errors.invalidScope,
  ].map(({ definition }) => ({ definition: version === 1 ? { ...definition, status: 403 } : definition }));
}

/** A GET may have other parameters in a body as well. */
export const refreshErrors = [
  ...tokenErrors(1),
  commonErrors.methodNotAllowed,
  commonErrors.requestTimeout,
  commonErrors.payloadTooLarge,
  commonErrors.unsupportedMediaType,
];

/** Only for the reference: the OAuth library reads the query itself, and says what is missing. */
const neededByLibrary = (description: string) => z.string().catch('').meta({ description, default: undefined });

export const AuthorizeQuery = z.object({
  response_type: neededByLibrary('`code`; `token` for the implicit grant.'),
  client_id: neededByLibrary('The id of the app.'),
  redirect_uri: neededByLibrary(
    'Where the browser continues with the code: exactly one of the redirect URIs of the app.',
  ),
  scope: neededByLibrary('`read`, `write` and `scim`, separated by spaces; they restrict nothing.'),
  state: readByHandler('A value of up to 2048 characters that comes back to `redirect_uri`.'),
  code_challenge: readByHandler(
    'The SHA-256 digest of the code verifier, in base64url or base64 (RFC 7636); without one, the code needs the secret of the app.',
  ),
  code_challenge_method: readByHandler('`S256`; required with `code_challenge`.'),
  response_mode: readByHandler('How the code comes back: `query`, which is the default, `fragment` or `form_post`.'),
  prompt: readByHandler('`none` reports an error to the app instead of asking the user; `login` asks again.'),
  login_hint: readByHandler('The user name that the sign-in page begins with, of up to 256 characters.'),
});

/** Where the browser continues. */
export const authorizeHeaders = {
  303: [header('Location', 'The sign-in page, the consent page, or `redirect_uri` with the code or an error.')],
};

const field = (description: string) => z.string().optional().describe(description);
const REFRESH_TOKEN = 'A refresh token, which works once.';
const CLIENT_ID = 'The id of the app, unless it authenticates by HTTP Basic.';
const CLIENT_SECRET = 'The secret of the app, unless it authenticates by HTTP Basic or is public.';

/** Only for the reference: the handler reads the form itself. */
export const TokenForm = z
  .object({
    grant_type: z
      .string()
      .describe(
        '`authorization_code`, `refresh_token`, `client_credentials` or `urn:ietf:params:oauth:grant-type:token-exchange`.',
      ),
    client_id: field(CLIENT_ID),
    client_secret: field(CLIENT_SECRET),
    code: field('The code that the sign-in returned. It works once, for two minutes.'),
    redirect_uri: field('The redirect URI of the sign-in.'),
    code_verifier: field('The verifier of the code challenge (RFC 7636): 16 to 128 visible characters.'),
    refresh_token: field(REFRESH_TOKEN),
    scope: field('The scopes of the token: `read`, `write` and `scim`; they restrict nothing.'),
    subject: field('Of a token exchange: the id of whom the app acts for.'),
    subject_type: field('Of a token exchange: the kind of whom the app acts for, `user`, `app` or `permprofile`.'),
    subject_token: field('Of a token exchange: a token of whom the app acts for (RFC 8693), instead of `subject`.'),
    subject_token_type: field('Of a token exchange: the type of `subject_token`, which must be an access token.'),
    requested_token_type: field('Of a token exchange: the type of the new token, which can only be an access token.'),
    actor_token: field('Of a token exchange: is refused, because the app itself acts.'),
  })
  .meta({ id: 'TokenRequest', description: 'A request for tokens (RFC 6749, section 4).' });

export const RefreshQuery = z.object({
  grant_type: neededByLibrary('`refresh_token`.'),
  refresh_token: readByHandler(REFRESH_TOKEN),
  client_id: readByHandler(CLIENT_ID),
  client_secret: readByHandler(CLIENT_SECRET),
});
