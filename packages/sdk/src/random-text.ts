/** A random text of 256 bits, for a code verifier or a state (RFC 7636, section 4.1), or an `Idempotency-Key`. */
export const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** Base64 without characters that have a meaning in URLs (RFC 4648, section 5). */
export function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
