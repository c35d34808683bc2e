/** A random text for a code verifier or a state: 256 bits (RFC 7636, section 4.1). */
export const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** The S256 challenge of a verifier (RFC 7636, section 4.2). @throws Error where the browser has no cryptography */
export async function challengeOf(verifier: string): Promise<string> {
  // Browsers have it on HTTPS and localhost only.
  const { subtle } = crypto as { subtle?: typeof crypto.subtle };
  if (!subtle) throw new Error('Signing in needs a page on https:// or http://localhost.');
  return base64Url(new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
