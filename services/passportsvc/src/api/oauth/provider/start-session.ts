import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { SESSION_COOKIE_PATH, SESSION_TTL_SEC } from './provider-settings.js';

interface NewSession {
  issuer: URL;
  req: IncomingMessage;
  res: ServerResponse;
  userId: string;
}

/** Starts a session as the library does after a sign-in: with a new id, so that a cookie from before the sign-in is worth nothing. */
export async function startSession(provider: Provider, { issuer, req, res, userId }: NewSession): Promise<void> {
  const context = provider.createContext(req, res);
  const before = await provider.Session.get(context);
  if (before.accountId !== undefined) await before.destroy();
  const session = new provider.Session();
  session.loginAccount({ accountId: userId });
  await session.save(SESSION_TTL_SEC);
  // Whatever the connection to this process is: the browser sees that of the issuer.
  context.cookies.secure = issuer.protocol === 'https:';
  context.cookies.set(provider.cookieName('session'), session.jti, {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    path: SESSION_COOKIE_PATH,
    expires: new Date(session.exp * 1000),
  });
}
