import { z } from 'zod';
import { readByHandler } from '../requests/parameters.http.js';

export const Jwks = z
  .object({
    keys: z
      .array(z.record(z.string(), z.unknown()))
      .describe(
        'The keys (RFC 7517, section 4), the current signing key first. Includes keys of tokens that may still be valid.',
      ),
  })
  .meta({ id: 'KeySet', description: 'The public keys of access tokens (RFC 7517, section 5).' });

const names = (description: string) => z.array(z.string()).describe(description);

/** Authorization server metadata (RFC 8414, section 2). */
export const Metadata = z
  .looseObject({
    issuer: z.url().describe('The issuer of tokens: their claim `iss`.'),
    authorization_endpoint: z.url().describe('The URL of the authorize endpoint.'),
    token_endpoint: z.url().describe('The URL of the token endpoint.'),
    jwks_uri: z.url().describe('The URL of the public keys.'),
    end_session_endpoint: z.url().describe('The URL at which apps sign out their users.'),
    scopes_supported: names('The supported scopes.'),
    response_types_supported: names('The values of `response_type`.'),
    grant_types_supported: names('The values of `grant_type`.'),
    token_endpoint_auth_methods_supported: names('How apps authenticate at the token endpoint.'),
  })
  .meta({ id: 'AuthorizationServerMetadata', description: 'The metadata of the OAuth server (RFC 8414, section 2).' });

export const SignInParams = z.object({ uid: z.string().max(64).describe('The id of the current sign-in.') });
export type SignInParams = z.infer<typeof SignInParams>;

/** Accepts everything: the OAuth library parses the query and reports missing parameters itself. */
const neededByLibrary = (description: string) => z.string().catch('').meta({ description, default: undefined });

export const AuthorizeQuery = z.object({
  response_type: neededByLibrary('`code`; `token` for the implicit grant.'),
  client_id: neededByLibrary('The id of the app.'),
  redirect_uri: neededByLibrary(
    'Where the browser returns with the code: exactly one of the redirect URIs of the app.',
  ),
  scope: neededByLibrary('`read`, `write` and `scim`, separated by spaces; they have no effect.'),
  state: readByHandler('A value of up to 2048 characters that is returned to `redirect_uri`.'),
  code_challenge: readByHandler(
    'The SHA-256 digest of the code verifier, in base64url or base64 (RFC 7636); without one, redeeming the code requires the secret of the app.',
  ),
  code_challenge_method: readByHandler('`S256`; required with `code_challenge`.'),
  response_mode: readByHandler('How the code is returned: `query` (the default), `fragment` or `form_post`.'),
  prompt: readByHandler('`none` reports an error to the app instead of asking the user; `login` asks again.'),
  login_hint: readByHandler('The user name to prefill on the sign-in page, of up to 256 characters.'),
});

const field = (description: string) => z.string().optional().describe(description);
const REFRESH_TOKEN = 'A refresh token, which works once.';
const CLIENT_ID = 'The id of the app, unless it authenticates by HTTP Basic.';
const CLIENT_SECRET = 'The secret of the app, unless it authenticates by HTTP Basic or is public.';

/** Documentation only: the handler parses the form itself. */
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
    scope: field('The scopes of the token: `read`, `write` and `scim`; they have no effect.'),
    subject: field('In a token exchange: the id of the subject for whom the app acts.'),
    subject_type: field('In a token exchange: the kind of the subject, `user`, `app` or `permprofile`.'),
    subject_token: field('In a token exchange: a token of the subject (RFC 8693), instead of `subject`.'),
    subject_token_type: field('In a token exchange: the type of `subject_token`, which must be an access token.'),
    requested_token_type: field('In a token exchange: the type of the new token, which can only be an access token.'),
    actor_token: field('In a token exchange: rejected, because the app itself acts.'),
  })
  .meta({ id: 'TokenRequest', description: 'A request for tokens (RFC 6749, section 4).' });

/** The same in the query, also parsed by the handler. */
export const TokenQuery = z.object(
  Object.fromEntries(
    Object.entries(TokenForm.shape).map(([name, { description = '' }]) => [name, readByHandler(description)]),
  ),
);

export const RefreshQuery = z.object({
  grant_type: neededByLibrary('`refresh_token`.'),
  refresh_token: readByHandler(REFRESH_TOKEN),
  client_id: readByHandler(CLIENT_ID),
  client_secret: readByHandler(CLIENT_SECRET),
});
