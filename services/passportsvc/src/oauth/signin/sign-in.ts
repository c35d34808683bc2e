import { createHash } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';
import type { AccountOperation, Audit } from '../../directory/audit/audit.js';
import type { AppStore } from '../../directory/apps/apps.store.js';
import type { Passwords } from '../../scim/users/passwords.js';
import { comparableName } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { AttemptCounters } from './attempts.store.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Limits against password guessing. Only wrong passwords count. */
export const SIGN_IN_LIMITS = {
  windowMs: HOUR_MS,
  /** Wrong passwords per account and address before the first wait. */
  free: 5,
  /** Doubles with each further wrong password. */
  firstWaitMs: 30 * SECOND_MS,
  longestWaitMs: 15 * MINUTE_MS,
  /** Wrong passwords per window for one account, from all addresses where nobody has signed in to it. */
  account: 100,
  /** Wrong passwords per window from one address, for all accounts: many people may share it. */
  address: 300,
  /** How long an address remains an account's own after a sign-in. */
  ownAddressMs: 30 * DAY_MS,
};

/** An attempt to sign in. The account need not exist. */
interface SignInAttempt {
  account: string;
  address: string;
}

interface SignInLimits {
  /** @throws tooManyRequests when the attempt has to wait */
  assertAllowed: (attempt: SignInAttempt) => Promise<void>;
  /**
   * Counts the result of an attempt and checks the limits again: concurrent attempts beyond the limit must not learn
   * whether their password was right. @throws tooManyRequests
   */
  record: (attempt: SignInAttempt, isRight: boolean) => Promise<void>;
}

export function createSignInLimits(counters: AttemptCounters, limits = SIGN_IN_LIMITS): SignInLimits {
  async function assertAllowed(attempt: SignInAttempt): Promise<void> {
    const { wait, account, address, own } = keysOf(attempt);
    const [waiting, ofAccount, ofAddress, isOwn] = await counters.read([wait, account, address, own]);
    const waits = [
      waiting!.leftMs,
      // A stranger who exhausts the account's limit does not lock out its user.
      ofAccount!.count >= limits.account && isOwn!.count === 0 ? ofAccount!.leftMs : 0,
      ofAddress!.count >= limits.address ? ofAddress!.leftMs : 0,
    ];
    const waitMs = Math.max(...waits);
    if (waitMs > 0) throw commonErrors.tooManyRequests({ retryAfterSec: Math.ceil(waitMs / SECOND_MS) });
  }

  return {
    assertAllowed,
    async record(attempt, isRight) {
      await assertAllowed(attempt);
      const { pair, wait, account, address, own } = keysOf(attempt);
      if (isRight) {
        await Promise.all([counters.remove(pair), counters.start(own, limits.ownAddressMs)]);
        return;
      }
      const [count, ofAccount, ofAddress] = await Promise.all(
        [pair, account, address].map((key) => counters.add(key, limits.windowMs)),
      );
      const beyond = count! - limits.free;
      const waitMs = Math.min(limits.firstWaitMs * 2 ** beyond, limits.longestWaitMs);
      const isBeyond =
        ofAccount! > limits.account ||
        ofAddress! > limits.address ||
        (beyond >= 0 && !(await counters.startOnce(wait, waitMs)));
      if (isBeyond) await assertAllowed(attempt);
    },
  };
}

/** Hashes names to keep keys short. */
function keysOf({ account, address }: SignInAttempt) {
  const pair = hashOf(account, address);
  return {
    pair: `signin:pair:${pair}`,
    wait: `signin:wait:${pair}`,
    own: `signin:own:${pair}`,
    account: `signin:account:${hashOf(account)}`,
    address: `signin:address:${hashOf(address)}`,
  };
}

const hashOf = (...parts: string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);

const MAX_LENGTH = 1024;

interface Deps {
  userStore: UserStore;
  appStore: AppStore;
  passwords: Pick<Passwords, 'matches'>;
  limits: SignInLimits;
  audit: Pick<Audit, 'ofAccount'>;
}

export type SignIn = ReturnType<typeof createSignIn>;

export function createSignIn({ userStore, appStore, passwords, limits, audit }: Deps) {
  return {
    /**
     * The active user with this name and password. Takes equally long for unknown users.
     * @param address of the client
     * @param operation for the audit log
     * @throws tooManyRequests after too many wrong passwords, and when too many passwords are being checked
     */
    async verify(
      userName: string,
      password: string,
      address: string,
      operation: AccountOperation = 'signIn',
    ): Promise<User | undefined> {
      if (userName.length > MAX_LENGTH || password.length > MAX_LENGTH) return undefined;
      const attempt = { account: comparableName(userName), address };
      await limits.assertAllowed(attempt);
      const user = await userStore.findByUserName(attempt.account);
      const matches = await passwords.matches(password, user?._passwordHash);
      const isRight = matches && user?.active === true;
      await limits.record(attempt, isRight);
      await audit.ofAccount(operation, user, { address, isDone: isRight });
      return isRight ? user : undefined;
    },
    async appearanceOf(appId: string): Promise<{ appName: string; theme?: string }> {
      const app = await appStore.find(appId);
      return { appName: app?._name ?? 'your application', theme: app?._loginTheme };
    },
  };
}
