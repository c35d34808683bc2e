import { createHmac, timingSafeEqual } from 'node:crypto';

/** The content of a refresh token. */
export interface RefreshToken {
  /** Id of the authorization that the token belongs to. */
  id: string;
  /** Position of the token among those of its authorization, from 1. */
  generation: number;
}

const FORM = /^([A-Za-z0-9]{1,64})\.([1-9][0-9]{0,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * A refresh token: id and generation, authenticated with an HMAC. Tokens are not stored; a replaced token is recognized
 * by its old generation.
 */
export function writeRefreshToken({ id, generation }: RefreshToken, key: Buffer): string {
  const text = `${id}.${generation}`;
  return `${text}.${hmacOf(text, key)}`;
}

/** The content of a token; undefined when this platform did not issue it. */
export function readRefreshToken(token: string, key: Buffer): RefreshToken | undefined {
  const [, id, generation, hmac] = FORM.exec(token) ?? [];
  if (id === undefined) return undefined;
  const expected = hmacOf(`${id}.${generation}`, key);
  if (!timingSafeEqual(Buffer.from(hmac!), Buffer.from(expected))) return undefined;
  return { id, generation: Number(generation) };
}

const hmacOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest('base64url');
