import { createHmac, timingSafeEqual } from 'node:crypto';

/** Name of the hidden field that holds a form's token. */
export const TOKEN_FIELD = 'csrf_token';

export type FormTokens = ReturnType<typeof createFormTokens>;

/**
 * Tokens that prove that a form was sent from a page of ours in the same session. They are not stored.
 * @param key see `DerivedKeys`
 */
export function createFormTokens(key: () => Buffer) {
  /** @param purpose the form's name, the session, and what the form decides about */
  const tokenFor = (purpose: string[]): string =>
    createHmac('sha256', key()).update(JSON.stringify(purpose)).digest('base64url');

  return {
    tokenFor,
    isValid(sent: string, purpose: string[]): boolean {
      const [actual, expected] = [Buffer.from(sent), Buffer.from(tokenFor(purpose))];
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}
