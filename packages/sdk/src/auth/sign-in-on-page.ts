import type { Session } from './session.js';

interface Page {
  location: { href: string; assign(url: string): void };
  history: { replaceState(state: unknown, unused: string, url: string): void };
}

/**
 * Signs the user of a page in: navigates to the sign-in page if there is no session, and completes the sign-in after
 * the redirect. Resolves once there is a session; does not resolve when the page navigates away.
 * @throws SignInError if the user denied the sign-in
 */
export async function signInOnPage(session: Session): Promise<void> {
  const { location, history } = globalThis as unknown as Page;
  const url = new URL(location.href);
  const isBack = url.searchParams.has('state') && (url.searchParams.has('code') || url.searchParams.has('error'));
  if (isBack) {
    // First, so that neither a reload nor the history can use the code again.
    for (const name of ['code', 'state', 'iss', 'error', 'error_description']) url.searchParams.delete(name);
    const back = location.href;
    history.replaceState(null, '', url.href);
    return session.complete(back);
  }
  if (await session.isSignedIn()) return;
  location.assign(await session.begin());
  return new Promise(() => undefined);
}
