/** 256 random bits as text, for a code verifier or state (RFC 7636, section 4.1) or an `Idempotency-Key`. */
export const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** URL-safe Base64 (RFC 4648, section 5). */
export function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
