import type { ProcessContext, ServiceDeps } from '@dtplatform/service';
import { NEW_PASSWORD_PATH } from '../api/pages/paths.js';
import { createAccount } from '../domain/account/account.js';
import type { EndAccess } from '../domain/account/end-access.js';
import { createSignIn } from '../domain/oauth/sign-in.js';
import { createSignInLimits } from '../domain/oauth/sign-in-limits.js';
import { createPasswordResets } from '../domain/password-reset/password-resets.js';
import type { Passwords } from '../domain/scim/passwords.js';
import { createAttemptCounters } from '../store/oauth/attempt-counters.js';
import { createBackground } from './background.js';
import type { Stores } from './stores.js';

interface Sources {
  stores: Stores;
  redis: ServiceDeps['redis'];
  passwords: Passwords;
  endAccess: EndAccess;
  baseUrl: string;
  context: ProcessContext;
}

export type AccountUseCases = ReturnType<typeof createAccountUseCases>;

/** What users do with their password: sign in, change it and reset it. */
export function createAccountUseCases({ stores, redis, passwords, endAccess, baseUrl, context }: Sources) {
  const counters = createAttemptCounters(redis.client);
  const signIn = createSignIn({ ...stores, passwords, limits: createSignInLimits(counters) });
  return {
    signIn,
    account: createAccount({ ...stores, signIn, passwords, endAccess }),
    passwordResets: createPasswordResets({
      ...stores,
      passwords,
      counters,
      endAccess,
      linkTo: (token) => `${baseUrl}${NEW_PASSWORD_PATH}?token=${token}`,
      inBackground: createBackground(context),
    }),
  };
}
