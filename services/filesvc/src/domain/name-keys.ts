import { createHash } from 'node:crypto';

/** Where a name is or would be. */
export interface Place {
  name: string;
  namespaces: string[];
  /** Ids of folders; empty at the root. */
  parents: string[];
}

/**
 * What must be unique over all files. A folder takes its name in each of its parents and namespaces; a file takes it in
 * its set of parents in each namespace, so that the same name in the same set of parents is a new version. The two
 * meet in one parent: a file and a folder there cannot share a name.
 */
export function nameKeys({ name, namespaces, parents }: Place, type: 'file' | 'dir'): string[] {
  const sets = type === 'dir' && parents.length > 0 ? parents.map((parent) => [parent]) : [[...parents].sort()];
  return namespaces.flatMap((namespace) => sets.map((set) => keyOf(namespace, set, name)));
}

const keyOf = (namespace: string, parents: string[], name: string) =>
  createHash('sha256')
    .update(JSON.stringify([namespace, parents, name.normalize('NFC')]))
    .digest('base64url');
