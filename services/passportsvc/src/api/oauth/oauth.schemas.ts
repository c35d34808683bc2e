import { z } from 'zod';

export const Jwks = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** Authorization server metadata (RFC 8414, section 2). */
export const Metadata = z.looseObject({ issuer: z.url(), authorization_endpoint: z.url(), token_endpoint: z.url() });

/** Only for the API reference: it accepts everything, because the OAuth library reads and validates the query itself. */
const parameter = z.string().optional().catch(undefined);
export const AuthorizeQuery = z.object({
  response_type: parameter,
  client_id: parameter,
  redirect_uri: parameter,
  scope: parameter,
  state: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
});

/** The sign-in that a path refers to. */
export const SignInParams = z.object({ uid: z.string().max(64) });
export type SignInParams = z.infer<typeof SignInParams>;

const field = (description: string) => z.string().optional().describe(description);

/** Only for the API reference: the handler reads the form itself. */
export const TokenForm = z
  .object({
    grant_type: z
      .string()
      .describe(
        '`authorization_code`, `refresh_token`, `client_credentials` or `urn:ietf:params:oauth:grant-type:token-exchange`.',
      ),
    client_id: field('The id of the app, unless it authenticates by HTTP Basic.'),
    client_secret: field('The secret of the app, unless it authenticates by HTTP Basic or is public.'),
    code: field('The code that the sign-in returned.'),
    redirect_uri: field('The redirect URI of the sign-in.'),
    code_verifier: field('The verifier of the code challenge (RFC 7636).'),
    refresh_token: field('A refresh token, which works once.'),
    scope: field('The scopes of the token: `read`, `write` and `scim`; they restrict nothing.'),
    subject: field('Of a token exchange: the id of whom the app acts for.'),
    subject_type: field('Of a token exchange: the kind of whom the app acts for.'),
    subject_token: field('Of a token exchange: a token of whom the app acts for (RFC 8693).'),
    subject_token_type: field('Of a token exchange: the type of `subject_token`.'),
    requested_token_type: field('Of a token exchange: the type of the new token.'),
    actor_token: field('Of a token exchange: a token of the app itself.'),
  })
  .meta({ id: 'TokenRequest', description: 'A request for tokens (RFC 6749, section 4).' });
