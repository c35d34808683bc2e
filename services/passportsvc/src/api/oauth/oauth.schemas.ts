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
