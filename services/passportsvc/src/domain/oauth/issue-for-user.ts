import { errors } from '../../errors.js';
import type { ConsentRequest, Consents } from '../consents/consents.js';
import type { AccessTokens, IssuedToken } from './access-tokens.js';

interface Deps {
  accessTokens: AccessTokens;
  consents: Consents;
}

/**
 * Issues an access token of a user to an app, under an authorization. The consent is checked after the time of issue is set:
 * if it is revoked after that, the token is older than the revocation and refused with the others.
 * @throws invalidGrant when the user has not consented, or no longer consents
 */
export async function issueForUser(
  { authorizationId, ...request }: ConsentRequest & { authorizationId: string },
  { accessTokens, consents }: Deps,
): Promise<IssuedToken> {
  const { app, user } = request;
  const issued = await accessTokens.issue({ app, user, authorizationId });
  if (await consents.isMissing(request)) throw errors.invalidGrant({ message: 'The user does not consent.' });
  return issued;
}
