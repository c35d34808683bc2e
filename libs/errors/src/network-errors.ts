import { isNativeError } from 'node:util/types';

const CODES = [
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  // Invalid or expired certificates.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
] as const;

/** Error codes for a peer that was not reached or not trusted, or whose connection broke. */
export const NETWORK_ERROR_CODES: readonly string[] = CODES;

const MAX_ERRORS = 20;

/** An error with its chain of causes. @param more other errors that an error wraps */
export function withCauses(error: unknown, more: (error: object) => unknown[] = () => []): unknown[] {
  const found = [error];
  for (let index = 0; index < found.length && found.length < MAX_ERRORS; index++) {
    const one = found[index];
    if (typeof one !== 'object' || one === null) continue;
    const { cause, errors } = one as { cause?: unknown; errors?: unknown };
    const causes = [cause, errors, more(one)].flat(2);
    for (const inner of causes)
      if (typeof inner === 'object' && inner !== null && !found.includes(inner)) found.push(inner);
  }
  return found;
}

/** Whether an error itself, not its causes, is a network error. */
export const isNetworkError = (error: unknown): boolean =>
  isNativeError(error) && NETWORK_ERROR_CODES.includes(String((error as NodeJS.ErrnoException).code));
