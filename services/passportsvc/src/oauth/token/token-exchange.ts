import { isRejection } from '@dtplatform/errors';
import type { App } from '../../directory/apps/app.js';
import { errors } from '../../errors.js';
import type { TokenSubject } from './access-tokens.js';
import { ACCESS_TOKEN_TYPE, tokenResponse } from './grant.js';
import type { ExchangeParameters, Grant, GrantDeps } from './grant.js';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Token types (RFC 8693, section 3) of the platform's access tokens. */
const TOKEN_TYPES = [ACCESS_TOKEN_TYPE, 'urn:ietf:params:oauth:token-type:jwt'];

/**
 * Gives a trusted app a token that acts for a user, another app or a permission profile (RFC 8693). The subject is that
 * of `subject_token`, or has the id `subject`, because work that runs for hours outlives its starter's token. The
 * caller restricts this grant to trusted apps.
 * @throws invalidRequest for a bad subject_token, invalidGrant for a subject that does not exist or is deactivated
 */
export const tokenExchangeGrant =
  (deps: GrantDeps): Grant =>
  async ({ app: actor, exchange }) => {
    assertSupported(exchange);
    const subject = await (exchange.subjectToken === undefined
      ? namedSubject(exchange, actor, deps)
      : subjectOfToken(exchange.subjectToken, actor, deps));
    if (!subject) throw errors.invalidGrant({ message: 'The subject does not exist or is no longer active.' });
    const issued = await deps.accessTokens.issue({ ...subject, actor });
    return { ...tokenResponse(issued, subject), issued_token_type: ACCESS_TOKEN_TYPE };
  };

function assertSupported(exchange: ExchangeParameters): void {
  const reject = (message: string) => errors.invalidRequest({ message });
  const { subject, subjectType, subjectToken, subjectTokenType, requestedTokenType, actorToken } = exchange;
  if ((subject === undefined) === (subjectToken === undefined)) {
    throw reject('Either subject_token or subject is required.');
  }
  if (subjectToken !== undefined && !TOKEN_TYPES.includes(subjectTokenType ?? '')) {
    throw reject('subject_token_type must name an access token.');
  }
  if (subjectType !== undefined && !['user', 'app', 'permprofile'].includes(subjectType)) {
    throw reject('subject_type must be user, app or permprofile.');
  }
  if (requestedTokenType !== undefined && !TOKEN_TYPES.includes(requestedTokenType)) {
    throw reject('requested_token_type must name an access token.');
  }
  if (actorToken !== undefined) throw reject('actor_token is not supported: the client itself acts.');
}

/**
 * The user or app with this id. Ids are unique across both, so the type only restricts the result. A permission profile
 * requires its type.
 */
async function namedSubject(
  { subject: id = '', subjectType }: Pick<ExchangeParameters, 'subject' | 'subjectType'>,
  actor: App,
  { findUser, findApp, findProfile }: GrantDeps,
): Promise<TokenSubject | undefined> {
  if (subjectType === 'permprofile') {
    const profile = await findProfile(id);
    return profile && { app: actor, profile };
  }
  const user = subjectType === 'app' ? undefined : await findUser(id);
  if (user) return { app: actor, user };
  const app = subjectType === 'user' ? undefined : await findApp(id);
  return app && { app };
}

/** The subject of a token, in the same app. The new token ends with the same authorization. */
async function subjectOfToken(token: string, actor: App, deps: GrantDeps): Promise<TokenSubject | undefined> {
  const { findUser, findApp, openToken } = deps;
  const { kind, id, appId, grantId } = await openToken(token).catch((error: unknown) => {
    if (!isRejection(error)) throw error;
    throw errors.invalidRequest({ message: 'subject_token is not a valid access token.', cause: error });
  });
  if (kind === 'profile') return namedSubject({ subject: id, subjectType: 'permprofile' }, actor, deps);
  const app = await findApp(appId);
  if (!app || kind === 'app' || kind === 'trusted') return app && { app };
  const user = await findUser(id);
  return user && { app, user, authorizationId: grantId };
}
