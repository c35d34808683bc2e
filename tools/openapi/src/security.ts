import type { Route } from '@dtplatform/http';

const OAUTH = '/passportsvc/api/v2/oauth';
const refreshUrl = `${OAUTH}/token`;
const scopes = {
  read: 'Accepted and returned, but without effect.',
  write: 'Accepted and returned, but without effect.',
  scim: 'Accepted and returned, but without effect.',
};

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token of the OAuth server.' },
  oauth2: {
    type: 'oauth2',
    description: 'Where access tokens come from.',
    flows: {
      authorizationCode: { authorizationUrl: `${OAUTH}/authorize`, tokenUrl: `${OAUTH}/token`, refreshUrl, scopes },
      clientCredentials: { tokenUrl: `${OAUTH}/token`, scopes },
    },
  },
  basic: { type: 'http', scheme: 'basic', description: 'The id and the secret of an app, for the OAuth endpoints.' },
};

/** The default: a token from any source. */
export const SECURITY: Record<string, string[]>[] = [{ bearer: [] }, { oauth2: [] }];

/** Deviations from the default. An app may also authenticate in the body, and a public one cannot. */
export function securityOf({ auth, takesBasic }: Route): { security?: Record<string, string[]>[] } {
  if (takesBasic) return { security: [{ basic: [] }, {}] };
  return auth === 'none' ? { security: [] } : {};
}
