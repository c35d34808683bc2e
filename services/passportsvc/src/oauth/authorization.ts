import { createHash } from 'node:crypto';

/** What a user allowed an app by signing in: the code, and the refresh tokens that come of it one after another. */
export interface Authorization {
  /** Stands as `grant_id` in the access tokens. */
  _id: string;
  clientId: string;
  accountId: string;
  code: {
    hash: string;
    /** S256 challenge (RFC 7636), or null. */
    challenge: string | null;
    redirectUri: string;
    expiresAt: Date;
  };
  /** 0 until the code is redeemed; then the number of the one refresh token that is good. */
  generation: number;
  /** The code was redeemed with the app's secret: so must be the refresh tokens. */
  needsSecret: boolean;
  expiresAt: Date;
}

/** What shows that a request may redeem a code. */
interface CodeProof {
  codeHash: string;
  clientId: string;
  redirectUri: string;
  /** Challenge of the verifier that was sent; undefined where none was. */
  challenge: string | undefined;
}

export interface AuthorizationStore {
  open(authorization: Authorization): Promise<void>;
  /** Uses the code up, if the proof is right and nobody was faster. */
  redeem(proof: CodeProof, needsSecret: boolean, expiresAt: Date): Promise<Authorization | undefined>;
  /** The authorization whose code was used up before by somebody with the same proof. */
  isRedeemed(proof: CodeProof): Promise<Authorization | undefined>;
  /** Replaces the refresh token of this generation by the next, if it is the current one and the caller may. */
  rotate(
    token: { id: string; generation: number; clientId: string },
    isAuthenticated: boolean,
    expiresAt: Date,
  ): Promise<Authorization | undefined>;
  find(id: string): Promise<Authorization | undefined>;
  remove(id: string): Promise<void>;
}

/** Codes are random: a plain hash is enough to make the stored form useless. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('base64url');
