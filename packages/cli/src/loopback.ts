import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { UsageError } from './usage-error.js';
import { isLoopback } from './loopback-hosts.js';

const SIGN_IN_MS = 10 * 60_000;

export interface Loopback {
  /** The redirect URL from the browser, or as pasted by the user. */
  back: Promise<URL>;
  /** Shows the outcome in the browser and stops listening. */
  close(message: string): Promise<void>;
}

/**
 * Listens on the loopback address for the redirect from the sign-in page (RFC 8252, section 7.3).
 * @throws UsageError for a redirect URI that does not lead to this machine, or a port that is in use
 */
export async function listenForRedirect(
  redirectUri: string,
  signInUrl: string,
  signal: AbortSignal,
): Promise<Loopback> {
  const expected = new URL(redirectUri);
  const state = new URL(signInUrl).searchParams.get('state');
  if (expected.protocol !== 'http:' || !isLoopback(expected.hostname))
    throw new UsageError('The redirect URI must be http://127.0.0.1, http://[::1] or http://localhost, with a port.');
  // Any page could send the browser here; only the sign-in page knows the state.
  const isOurs = (url: URL) => url.pathname === expected.pathname && url.searchParams.get('state') === state;
  let browser: ServerResponse | undefined;
  let found: (url: URL) => void;
  let giveUp: (error: Error) => void;
  const back = new Promise<URL>((resolve, reject) => ([found, giveUp] = [resolve, reject]));
  const server = createServer((req, res) => {
    const url = URL.canParse(req.url ?? '', redirectUri) ? new URL(req.url ?? '', redirectUri) : undefined;
    if (!url || !isOurs(url)) return void res.writeHead(404).end();
    browser ??= res;
    found(url);
  });
  await listen(server, expected);
  const timer = setTimeout(() => giveUp(new Error('Nobody signed in within ten minutes.')), SIGN_IN_MS);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const text = line.trim();
    if (URL.canParse(text) && isOurs(new URL(text))) found(new URL(text));
  });
  signal.addEventListener('abort', () => giveUp(signal.reason as Error), { once: true });
  // Prevents an unhandled rejection until somebody awaits it.
  back.catch(() => undefined);
  return {
    back,
    async close(message) {
      clearTimeout(timer);
      lines.close();
      // A file, unlike a terminal or a pipe, keeps no process alive and has no `unref`.
      (process.stdin as Partial<typeof process.stdin>).unref?.();
      server.close();
      await answer(browser, page(message));
      server.closeAllConnections();
    },
  };
}

/** Resolves once the response is sent or the browser has disconnected. */
async function answer(browser: ServerResponse | undefined, text: string): Promise<void> {
  if (!browser || browser.destroyed) return;
  await new Promise<void>((resolve) => browser.once('close', resolve).end(text, resolve));
}

async function listen(server: ReturnType<typeof createServer>, { hostname, port, href }: URL): Promise<void> {
  const host = hostname === '[::1]' ? '::1' : '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port || 80), host, resolve);
  }).catch((error: unknown) => {
    throw new UsageError(
      `The port of ${href} is in use (${(error as NodeJS.ErrnoException).code ?? ''}). ` +
        'Stop the process that uses it, or pass another --redirect-uri that is registered for the app.',
    );
  });
}

/** Contains nothing from the request. */
const page = (message: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>dtplatform</title>` +
  `<body style="font:1.2rem sans-serif;margin:20vh auto;max-width:30rem"><p>${message}</p></body></html>`;
