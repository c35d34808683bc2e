import { randomBytes } from 'node:crypto';
import type { Files } from '../src/relateditems/files.client.js';

/** Stands in for filesvc: files by id, regardless of the tokens' namespaces. */
export function filesInMemory() {
  const known = new Set<string>();
  const asked: { ids: string[]; token: string }[] = [];
  const files: Files = {
    async missing(ids, { token }) {
      asked.push({ ids, token });
      return new Set(ids.filter((id) => !known.has(id)));
    },
  };
  /** Adds files. @returns their ids */
  const add = (count: number) => {
    const ids = Array.from({ length: count }, () => randomBytes(12).toString('hex'));
    for (const id of ids) known.add(id);
    return ids;
  };
  return { ...files, asked, add };
}
