import { ApiError, DtplatformError, NetworkError, SignedOutError, SignInError, TimeoutError } from '@dtplatform/sdk';
import { untilReachable } from './connection.js';
import { find } from './dom.js';
import { showScreen } from './screens.js';

/** Explains an error to the user. */
export function explain(error: unknown): string {
  if (error instanceof NetworkError || error instanceof TimeoutError)
    return 'The platform cannot be reached. Check the connection, then try again.';
  if (error instanceof SignedOutError) return 'Your session has ended. Sign in again.';
  if (error instanceof SignInError) return `You are not signed in: ${error.message}`;
  if (!(error instanceof ApiError)) return 'This did not work. Reload the page, then try again.';
  const sentences = [error.message, ...error.details.map(({ location, message }) => `${location}: ${message}`)];
  // The operator finds the call in the logs by this id.
  if (error.status >= 500) sentences.push(`Report ${error.requestId ?? 'the time'} to whoever runs the platform.`);
  return sentences.join(' ');
}

/** Runs what the user asked for. Shows a failure, by default at the top of the page. */
export async function attempt(work: () => Promise<void>, problem = find('#problem', HTMLElement)): Promise<void> {
  problem.textContent = '';
  try {
    await work();
  } catch (error) {
    if (isAbort(error)) return;
    if (error instanceof SignedOutError) showScreen('sign-in');
    else if (!(error instanceof DtplatformError)) reportError(error);
    problem.textContent = explain(error);
  }
}

/** Loads what a screen shows, and shows a failure until it is over. */
export async function show(load: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  const problem = find('#problem', HTMLElement);
  await untilReachable(load, (error) => (problem.textContent = explain(error)), signal);
  problem.textContent = '';
}

/** The user has left the screen or stopped the work. */
export const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';
