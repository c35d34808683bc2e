/** A token, or a function that returns one. */
export type TokenSource = string | (() => string | Promise<string>);

export interface TokenRequest {
  /** A token that the platform has just rejected: another one is needed. */
  rejected?: string;
  signal?: AbortSignal;
}

/** A client's source of access tokens. */
export interface Auth {
  /** A valid token. @throws SignedOutError when there is none and no way to get one */
  token(request?: TokenRequest): Promise<string>;
}

/** Creates an `Auth` from a token that the caller provides. */
export function asAuth(from: Auth | TokenSource): Auth {
  if (typeof from === 'string') return { token: async () => from };
  return typeof from === 'function' ? { token: async () => from() } : from;
}
