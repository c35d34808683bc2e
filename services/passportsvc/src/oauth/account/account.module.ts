import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';
import type { ProcessContext, ServiceDeps } from '@dtplatform/service';
import { NEW_PASSWORD_PATH } from '../../pages/paths.js';
import type { Passwords } from '../../scim/users/passwords.js';
import type { Stores } from '../../stores.js';
import { createPasswordResets } from '../password-reset/password-resets.js';
import { createAttemptCounters } from '../signin/attempts.store.js';
import { createSignIn, createSignInLimits } from '../signin/sign-in.js';
import { createAccount } from './account.js';
import type { EndAccess } from './account.js';

/** Runs work that no request waits for; the process waits for it before it ends. A failure is logged. */
function createBackground({ log, lifecycle }: { log: Logger; lifecycle: Lifecycle }) {
  const running = new Set<Promise<void>>();
  lifecycle.onStop('background work', () => Promise.all(running));

  return (work: () => Promise<void>): void => {
    const run = work()
      .catch((error: unknown) => log.error({ err: error }, 'background work failed'))
      .finally(() => running.delete(run));
    running.add(run);
  };
}

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
