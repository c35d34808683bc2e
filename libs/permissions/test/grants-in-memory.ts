import { randomUUID } from 'node:crypto';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import type { Principal } from '@dtplatform/jwt';
import type { GrantSource } from '../src/index.js';

/** Grants that a test can change; records how often they are read. Does not raise epochs. */
export function grantsInMemory() {
  let rows: PermissionEntry[] = [];
  const reads: string[] = [];
  let failure: Error | undefined;
  const of = (subject: Subject) =>
    rows.filter(({ _user }) => _user._type === subject._type && _user._id === subject._id);
  const source: GrantSource = {
    async grantsOf(subject, namespace) {
      reads.push(`${subject._id}/${namespace}`);
      if (failure) throw failure;
      return of(subject)
        .filter(({ _namespace }) => _namespace === namespace)
        .map(({ _resourceDesc, _actions }) => ({ ..._resourceDesc, _actions }));
    },
    async namespacesOf(subject) {
      reads.push(subject._id);
      if (failure) throw failure;
      return [...new Set(of(subject).map(({ _namespace }) => _namespace))];
    },
    grant: async (entries) => void rows.push(...entries),
    removeUser: async () => undefined,
    removeApp: async () => undefined,
    removeProfile: async () => undefined,
    putGroup: async () => undefined,
    close: async (namespaces) => void (rows = rows.filter(({ _namespace }) => !namespaces.includes(_namespace))),
  };
  return {
    source,
    reads,
    set: (next: PermissionEntry[]) => (rows = next),
    rows: () => rows,
    fail: (error: Error | undefined) => (failure = error),
  };
}

export const entry = (
  userId: string,
  _namespace: string,
  _irn: string,
  ..._actions: PermissionEntry['_actions']
): PermissionEntry => ({ _namespace, _resourceDesc: { _irn }, _user: { _type: 'user', _id: userId }, _actions });

/** A caller who holds a valid token. */
export function principal(kind: Principal['kind'], more: Partial<Principal> = {}): Principal {
  const issuedAtSec = Math.floor(Date.now() / 1000);
  const id = randomUUID();
  return {
    kind,
    id,
    name: id,
    appId: randomUUID(),
    grantId: undefined,
    token: 't',
    issuedAtSec,
    expiresAtSec: issuedAtSec + 60,
    ...more,
  };
}
