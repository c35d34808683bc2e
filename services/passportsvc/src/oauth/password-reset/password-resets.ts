import { commonErrors } from '@dtplatform/errors';
import type { Audit } from '../../directory/audit/audit.js';
import type { Passwords } from '../../scim/users/passwords.js';
import { comparableName } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import { endAccessAround } from '../account/account.js';
import type { EndAccess } from '../account/account.js';
import type { AttemptCounters } from '../signin/attempts.store.js';
import {
  addressOf,
  hashOf,
  isFor,
  KEEP_MS,
  LINK_TTL_MS,
  linkState,
  newResetToken,
  RESET_LIMITS,
  resetMail,
} from './password-reset.js';
import type { PasswordReset } from './password-reset.js';
import type { PasswordResetStore } from './password-resets.store.js';

const MAX_NAME_LENGTH = 320;
const MAX_TOKEN_LENGTH = 64;

interface Deps {
  audit: Pick<Audit, 'ofAccount'>;
  resetStore: PasswordResetStore;
  userStore: Pick<UserStore, 'find' | 'findByUserName'>;
  passwords: Pick<Passwords, 'hash'>;
  counters: Pick<AttemptCounters, 'add'>;
  endAccess: EndAccess;
  linkTo: (token: string) => string;
  inBackground: (work: () => Promise<void>) => void;
}

export type LinkState = 'valid' | 'used' | 'expired';

export type PasswordResets = ReturnType<typeof createPasswordResets>;

/** New passwords by mail. */
export function createPasswordResets(deps: Deps) {
  const { audit, resetStore, userStore, passwords, counters, endAccess } = deps;
  const { windowMs } = RESET_LIMITS;

  async function sendLink(user: User, to: string): Promise<void> {
    const token = newResetToken();
    const now = Date.now();
    const reset = {
      _id: hashOf(token),
      userId: user._id,
      validUntil: new Date(now + LINK_TTL_MS),
      isUsed: false,
      expiresAt: new Date(now + KEEP_MS),
      userState: linkState(user),
    };
    await resetStore.insert(reset, resetMail(to, deps.linkTo(token)));
  }

  async function find(token: string): Promise<{ state: LinkState; reset?: PasswordReset }> {
    const reset = token.length > MAX_TOKEN_LENGTH ? undefined : await resetStore.find(hashOf(token));
    if (reset?.isUsed) return { state: 'used' };
    if (!reset || reset.validUntil <= new Date()) return { state: 'expired' };
    return isFor(reset, await userStore.find(reset.userId)) ? { state: 'valid', reset } : { state: 'expired' };
  }

  return {
    /**
     * Sends a link to the active user with this name, if it has an address. Neither the result nor the duration reveals
     * whether it does: the link is created and sent in the background.
     * @param address of the client
     * @throws tooManyRequests after too many requests from this address
     */
    async request(userName: string, address: string): Promise<void> {
      const requests = await counters.add(`reset:address:${hashOf(address)}`, windowMs);
      if (requests > RESET_LIMITS.address) throw commonErrors.tooManyRequests({ retryAfterSec: windowMs / 1000 });
      if (userName.length > MAX_NAME_LENGTH) return;
      const key = comparableName(userName);
      const user = await userStore.findByUserName(key);
      const mails = await counters.add(`reset:account:${hashOf(key)}`, windowMs);
      const to = user?.active && mails <= RESET_LIMITS.account ? addressOf(user) : undefined;
      if (user && to !== undefined) deps.inBackground(() => sendLink(user, to));
    },
    async stateOf(token: string): Promise<LinkState> {
      return (await find(token)).state;
    },
    /**
     * Sets the password and ends all sessions and tokens of the user. @returns `valid` on success, else why the link is
     * not valid
     */
    async complete(token: string, password: string): Promise<LinkState> {
      const { state, reset } = await find(token);
      if (!reset) return state;
      const hash = await passwords.hash(password);
      await audit.ofAccount('passwordReset.complete', await userStore.find(reset.userId), { isDone: true });
      const isDone = await endAccessAround(
        () => resetStore.complete(reset, hash, (user) => isFor(reset, user)),
        () => endAccess(reset.userId),
      );
      return isDone ? 'valid' : 'used';
    },
  };
}
