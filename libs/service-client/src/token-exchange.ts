import { commonErrors, defineErrors } from '@dtplatform/errors';
import { cachedToken } from './cached-token.js';
import type { TokenSource } from './cached-token.js';
import { requestToken, TokenRefused } from './request-token.js';
import type { TokenClient } from './request-token.js';

/** Whom a service acts for. */
export interface TokenSubject {
  id: string;
  /** Whether it is a user or an app is found out by the authorization server when it is not known. */
  type?: 'user' | 'app' | 'permprofile';
}

/** Why there is no token for a subject. */
export const exchangeErrors = defineErrors({
  subjectInactive: {
    status: 403,
    message: 'The user or application that started this is no longer active.',
    remedy: 'Have somebody who is active start it again.',
  },
  profileDeleted: {
    status: 403,
    message: 'The permission profile whose rights are needed no longer exists.',
    remedy: 'Give the orchestrator another permission profile.',
  },
});

/**
 * Tokens with which this service acts for somebody (RFC 8693): each with the subject's rights, for five minutes. Keep the
 * source for as long as the work lasts, and pass it to calls as `as`.
 * @returns a source of tokens; it rejects with a 403 AppError when the subject is no longer active or was deleted, and with a 503 AppError
 * when the authorization server is unavailable
 */
export const tokenExchange =
  (client: TokenClient) =>
  ({ id, type }: TokenSubject): TokenSource =>
    cachedToken(async () => {
      const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
      try {
        return await requestToken(client, { grant_type, subject: id, ...(type && { subject_type: type }) });
      } catch (error) {
        if (error instanceof TokenRefused && error.code === 'invalid_grant') {
          throw type === 'permprofile'
            ? exchangeErrors.profileDeleted({ cause: error })
            : exchangeErrors.subjectInactive({ cause: error });
        }
        throw commonErrors.unavailable({ cause: error });
      }
    });
