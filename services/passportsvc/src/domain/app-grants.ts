import type { PermissionEntry } from '@dtplatform/contracts';
import type { GrantSource } from '@dtplatform/permissions';
import { appIrn } from './app.js';
import type { App } from './app.js';
import type { AppStore } from './ports.js';

/** What a new app and its owner may do: the app everything in its namespaces, the owner everything with the app. */
export function grantsOfApp({ _id, _namespaces, _ownerId }: App): PermissionEntry[] {
  return _namespaces.flatMap((_namespace) => [
    entry(_namespace, '*:*:*', { _type: 'app', _id }),
    ...(_ownerId === undefined ? [] : [entry(_namespace, appIrn(_id), { _type: 'user', _id: _ownerId })]),
  ]);
}

const entry = (_namespace: string, _irn: string, _user: PermissionEntry['_user']): PermissionEntry => ({
  _namespace,
  _resourceDesc: { _irn },
  _user,
  _actions: ['*'],
});

/** Writes the permissions of apps that the migration made while nobody was there to take them. */
export async function writePendingGrants(apps: AppStore, grants: GrantSource): Promise<void> {
  for (const app of await apps.withPendingGrants()) {
    await grants.grant(grantsOfApp(app));
    await apps.grantsWritten(app._id);
  }
}
