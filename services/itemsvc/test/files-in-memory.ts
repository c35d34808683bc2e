import type { Files } from '../src/relateditems/files.client.js';

/** Stands for filesvc: files by id, with the tokens' namespaces left aside. */
export function filesInMemory(): Files & { known: Set<string>; asked: { ids: string[]; token: string }[] } {
  const known = new Set<string>();
  const asked: { ids: string[]; token: string }[] = [];
  return {
    known,
    asked,
    async missing(ids, { token }) {
      asked.push({ ids, token });
      return new Set(ids.filter((id) => !known.has(id)));
    },
  };
}
