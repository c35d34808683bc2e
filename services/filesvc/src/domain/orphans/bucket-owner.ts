import type { Bucket, Installations, References } from './ports.js';

/** The object that holds the id of the installation whose bucket this is. */
const KEY = 'installation';
const PREFIXES = ['versions/', 'tails/'];

interface Deps {
  bucket: Bucket;
  references: References;
  installations: Installations;
}

/** Keeps a database from removing objects of another one, whose records it does not have. */
export function createBucketOwner({ bucket, references, installations }: Deps) {
  /** An empty database must not adopt a bucket that has content: that of somebody else. */
  async function mayAdopt(signal?: AbortSignal): Promise<boolean> {
    let isEmpty = true;
    for (const prefix of PREFIXES) {
      const { found } = await bucket.listObjects({ prefix, signal });
      if (await references.knowsAny(found)) return true;
      isEmpty &&= found.length === 0;
    }
    return isEmpty;
  }

  return {
    /**
     * Whether the bucket belongs to this installation. One that belongs to nobody is adopted if it is empty or if the
     * database knows some of its objects; the first installation that does so keeps it.
     */
    async isOwn(signal?: AbortSignal): Promise<boolean> {
      const own = await installations.id();
      const found = await bucket.readText(KEY);
      if (found !== undefined) return found === own;
      if (!(await mayAdopt(signal))) return false;
      await bucket.putIfAbsent(KEY, Buffer.from(own));
      return (await bucket.readText(KEY)) === own;
    },
  };
}
