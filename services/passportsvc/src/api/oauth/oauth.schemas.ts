import { z } from 'zod';

export const Jwks = z
  .object({
    keys: z
      .array(z.record(z.string(), z.unknown()))
      .describe(
        'The keys (RFC 7517, section 4), the one that signs now first. Those of tokens that may still be valid are among them.',
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
    end_session_endpoint: z.url().describe('The URL at which apps sign their users out.'),
    scopes_supported: names('The scopes that are accepted.'),
    response_types_supported: names('The values of `response_type`.'),
    grant_types_supported: names('The values of `grant_type`.'),
    token_endpoint_auth_methods_supported: names('How apps authenticate at the token endpoint.'),
  })
  .meta({ id: 'AuthorizationServerMetadata', description: 'What the OAuth server can do (RFC 8414, section 2).' });

/** The sign-in that a path refers to. */
export const SignInParams = z.object({ uid: z.string().max(64).describe('The id of the sign-in that is going on.') });
export type SignInParams = z.infer<typeof SignInParams>;
