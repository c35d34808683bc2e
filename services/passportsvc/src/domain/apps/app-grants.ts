import type { PermissionEntry } from '@dtplatform/contracts';
import { allOf } from '../namespaces/all-of.js';
import { appIrn } from './app.js';
import type { App } from './app.js';

/** The permissions of a new app and its owner: the app may do everything in its namespaces, the owner everything with the app. */
export const grantsOfApp = ({ _id, _namespaces, _ownerId }: App): PermissionEntry[] => [
  ...allOf(_namespaces, '*:*:*', { _type: 'app', _id }),
  ...(_ownerId === undefined ? [] : allOf(_namespaces, appIrn(_id), { _type: 'user', _id: _ownerId })),
];
