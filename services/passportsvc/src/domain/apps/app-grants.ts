import type { PermissionEntry } from '@dtplatform/contracts';
import { appIrn } from './app.js';
import type { App } from './app.js';

/** The permissions of a new app and its owner: the app may do everything in its namespaces, the owner everything with the app. */
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
