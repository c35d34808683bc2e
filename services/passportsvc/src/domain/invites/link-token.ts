import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** The token in the link of a mail: whoever has it can answer the invite. */
export const LINK_TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newLinkToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Only the hash is stored. A token is random and long, so the hash needs no salt. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
