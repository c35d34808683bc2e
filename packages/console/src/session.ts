import { createClient, createSession, memoryStore } from '@dtplatform/sdk';
import type { SessionStore } from '@dtplatform/sdk';

const HOME = `${location.origin}/console/`;
const RETURN_TO = 'console:return-to';

/** Tokens stay in memory, where no other page finds them. A started sign-in survives the redirect. */
function storeOfPage(): SessionStore {
  const memory = memoryStore();
  const key = (name: string) => `console:${name}`;
  const isStarted = (name: string) => name.startsWith('sign-in:');
  return {
    ...memory,
    get: async (name) => (isStarted(name) ? (sessionStorage.getItem(key(name)) ?? undefined) : memory.get(name)),
    async set(name, value) {
      if (!isStarted(name)) return memory.set(name, value);
      if (value === undefined) sessionStorage.removeItem(key(name));
      else sessionStorage.setItem(key(name), value);
    },
  };
}

export const session = createSession({
  ...{ baseUrl: location.origin, clientId: 'console', redirectUri: HOME },
  store: storeOfPage(),
});
export const client = createClient({ baseUrl: location.origin, auth: session });

/** The page for users who have signed out. */
export const SIGNED_OUT = `${HOME}signed-out`;

const isAnswer = () => new URLSearchParams(location.search).has('state');
let isLeaving = false;

/** Leaves for the sign-in page, which returns here. Users who have signed in before do not see it. */
export async function signIn(): Promise<void> {
  // All calls of a page fail at once when the session ends.
  if (isLeaving) return;
  isLeaving = true;
  // Neither the answer of a sign-in that failed, nor the page of users who have signed out.
  const isPage = !isAnswer() && location.href !== SIGNED_OUT;
  sessionStorage.setItem(RETURN_TO, isPage ? location.href : HOME);
  location.assign(await session.begin());
}

/** Completes a sign-in if the address is that of one. @throws SignInError */
export async function completeSignIn(): Promise<void> {
  if (!isAnswer()) return;
  await session.complete(location.href);
  history.replaceState(null, '', sessionStorage.getItem(RETURN_TO) ?? HOME);
}

let authorities: string[] = [];

/** Whether the signed-in user is a platform administrator. It decides what is offered, not what is allowed. */
export const isAdministrator = (): boolean => authorities.includes('ROLE_ADMIN');

/** Reads the roles of the user from the access token. */
export async function loadRoles(): Promise<void> {
  const [, claims = ''] = (await session.token()).split('.');
  ({ authorities = [] } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as {
    authorities?: string[];
  });
}

export async function signOut(): Promise<void> {
  const next = await session.signOut({ returnTo: SIGNED_OUT });
  // The next user of this tab sees nothing of this one.
  sessionStorage.clear();
  location.assign(next);
}
