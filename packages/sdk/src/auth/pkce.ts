import { base64Url } from '../random-text.js';

/** The S256 challenge of a verifier (RFC 7636, section 4.2). @throws Error where the browser has no Web Crypto */
export async function challengeOf(verifier: string): Promise<string> {
  // Browsers provide it only on HTTPS and localhost.
  const { subtle } = crypto as { subtle?: typeof crypto.subtle };
  if (!subtle) throw new Error('Signing in requires a page on https:// or http://localhost.');
  return base64Url(new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}
