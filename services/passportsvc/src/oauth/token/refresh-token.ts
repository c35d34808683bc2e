import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a refresh token says. */
export interface RefreshToken {
  /** Id of the authorization that it came of. */
  id: string;
  /** How many there were of that authorization, with this one. */
  generation: number;
}

const FORM = /^([A-Za-z0-9]{1,64})\.([1-9][0-9]{0,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * A refresh token: id and generation with a proof that we made it. Nothing of it is stored, and one that was replaced
 * is known as such for ever, since its generation is behind.
 */
export function writeRefreshToken({ id, generation }: RefreshToken, key: Buffer): string {
  const text = `${id}.${generation}`;
  return `${text}.${proofOf(text, key)}`;
}

/** What a token says; undefined when it is not one of ours. */
export function readRefreshToken(token: string, key: Buffer): RefreshToken | undefined {
  const [, id, generation, proof] = FORM.exec(token) ?? [];
  if (id === undefined) return undefined;
  const expected = proofOf(`${id}.${generation}`, key);
  if (!timingSafeEqual(Buffer.from(proof!), Buffer.from(expected))) return undefined;
  return { id, generation: Number(generation) };
}

const proofOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest('base64url');
