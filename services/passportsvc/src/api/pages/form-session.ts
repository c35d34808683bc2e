import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const COOKIE = 'dtp_form';
const SENT = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{22})(?:;|$)`);

/**
 * Identifies the browser of somebody who is not signed in, for the tokens of its forms. Another site's form comes without the
 * cookie. The cookie is set with the answer if the browser has none.
 */
export function formSession(req: IncomingMessage, res: ServerResponse, { protocol }: URL): string {
  const sent = SENT.exec(req.headers.cookie ?? '')?.[1];
  if (sent !== undefined) return sent;
  const id = randomBytes(16).toString('base64url');
  const secure = protocol === 'https:' ? '; Secure' : '';
  res.appendHeader('set-cookie', `${COOKIE}=${id}; Path=/passportsvc; HttpOnly; SameSite=Strict${secure}`);
  return id;
}
