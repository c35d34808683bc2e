import { touchedBy } from '@dtplatform/contracts';
import type { Author } from '@dtplatform/contracts';
import { homeOf } from '@dtplatform/permissions';
import type { File } from './file.js';
import { nameKeys } from './placement.js';

/** A file or folder without these namespaces; undefined when it is in no others. Its name there is free then. */
export function leaveNamespaces(file: File, left: readonly string[], by: Author): File | undefined {
  const namespaces = file._namespaces.filter((namespace) => !left.includes(namespace));
  if (namespaces.length === 0) return undefined;
  const { _name: name, _parents: parents, _type, _metadata, internal } = file;
  return {
    ...file,
    _namespaces: namespaces,
    _metadata: touchedBy(by, _metadata),
    internal: {
      ...internal,
      home: homeOf({ _namespaces: namespaces, _home: internal.home }),
      nameKeys: nameKeys({ name, namespaces, parents }, _type),
      rootOf: parents.length === 0 ? namespaces : [],
    },
  };
}
