import { createHash } from 'node:crypto';
import { createCRC32 } from 'hash-wasm';
import { errors } from '../errors.js';

const DIGEST_BYTES = { sha256: 32, md5: 16, crc32c: 4 } as const;
/** The reversed polynomial of CRC-32C. */
const CASTAGNOLI = 0x82f63b78;
type Algorithm = keyof typeof DIGEST_BYTES;

export interface Expected {
  algorithm: Algorithm;
  digest: Buffer;
}

export interface RunningHash {
  update(bytes: Buffer): void;
  digest(): Buffer;
}

/**
 * Parses `sha256:`, `md5:` or `crc32c:` and a digest in hexadecimal or base64. Undefined for other formats, which are
 * only compared as text.
 * @throws 400 when the digest does not fit the algorithm
 */
export function expectedOf(checksum: string): Expected | undefined {
  const [, name, text] = /^(sha256|md5|crc32c):(.*)$/is.exec(checksum) ?? [];
  if (name === undefined || text === undefined) return undefined;
  const algorithm = name.toLowerCase() as Algorithm;
  const bytes = DIGEST_BYTES[algorithm];
  const isHex = text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text);
  const digest = Buffer.from(text, isHex ? 'hex' : 'base64');
  const isBase64 = !isHex && /^[\w+/-]+={0,2}$/.test(text);
  if (digest.length !== bytes || !(isHex || isBase64)) throw errors.invalidChecksum();
  return { algorithm, digest };
}

export async function startHash(algorithm: Algorithm): Promise<RunningHash> {
  if (algorithm === 'crc32c') {
    const crc = await createCRC32(CASTAGNOLI);
    return { update: (bytes) => void crc.update(bytes), digest: () => Buffer.from(crc.digest('binary')) };
  }
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

/** Query strings decode plus signs to spaces. */
export const sameChecksums = (sent: string): string[] => [sent, sent.replaceAll(' ', '+')];
