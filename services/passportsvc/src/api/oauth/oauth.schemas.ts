import { z } from 'zod';

/** What the token endpoint answers (contract: OAuth endpoints). */
export const TokenReply = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  refresh_token: z.string().optional(),
  expires_in: z.number(),
  scope: z.literal('read write'),
  user_name: z.string(),
  app_id: z.string(),
  jti: z.string(),
});

export const Jwks = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** Authorization server metadata (RFC 8414, section 2). */
export const Metadata = z.looseObject({ issuer: z.url(), authorization_endpoint: z.url(), token_endpoint: z.url() });

/** Never refuses: it is for the API reference. The OAuth server reads the query itself and answers in its own way. */
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

export const ResumeParams = z.object({ uid: z.string().max(64) });
export type ResumeParams = z.infer<typeof ResumeParams>;
