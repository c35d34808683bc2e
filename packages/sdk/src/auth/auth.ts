/** A token, or a function that returns one. */
export type TokenSource = string | (() => string | Promise<string>);

export interface TokenRequest {
  /** The token that the platform has just refused: another one is needed. */
  rejected?: string;
  signal?: AbortSignal;
}

/** Where a client has its access tokens from. */
export interface Auth {
  /** A token that is valid for now. @throws SignedOutError when there is none and no way to get one */
  token(request?: TokenRequest): Promise<string>;
}

/** Makes an `Auth` of a token that the caller provides. */
export function asAuth(from: Auth | TokenSource): Auth {
  if (typeof from === 'string') return { token: async () => from };
  return typeof from === 'function' ? { token: async () => from() } : from;
}
