import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PermissionEntry } from '@dtplatform/contracts';
import { allOf, newNamespace } from '../namespaces/namespaces.js';
import { appIrn, DEFAULT_GRANT_TYPES } from './app.js';
import type { App } from './app.js';

const SECRET_BYTES = 32;

/** A new app secret: 256 random bits, in characters that never need escaping. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The stored form of a secret. Secrets are random, so a keyed hash is enough: there is nothing to guess. */
export const hashSecret = (secret: string, key: Buffer): string =>
  createHmac('sha256', key).update(secret).digest('base64url');

/** Whether a secret matches a stored hash, in constant time. */
export function secretMatches(secret: string, hash: string, key: Buffer): boolean {
  const actual = Buffer.from(hashSecret(secret, key));
  const expected = Buffer.from(hash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** The permissions of a new app and its owner: the app may do everything in its namespaces, the owner everything with the app. */
export const grantsOfApp = ({ _id, _namespaces, _ownerId }: App): PermissionEntry[] => [
  ...allOf(_namespaces, '*:*:*', { _type: 'app', _id }),
  ...(_ownerId === undefined ? [] : allOf(_namespaces, appIrn(_id), { _type: 'user', _id: _ownerId })),
];

export type NewApp = Pick<App, '_id' | '_name' | '_shortName' | '_orgId' | '_redirectUris'> &
  Partial<App> & { secret: string; createdById: string };

/** Completes an app with a namespace of its own and the stored form of its secret. */
export function newApp({ secret, createdById, ...app }: NewApp, secretKey: Buffer): App {
  const now = Date.now();
  return {
    _authorizedGrantTypes: DEFAULT_GRANT_TYPES,
    _namespaces: [newNamespace(app._shortName)],
    _whitelistedApps: [],
    _metadata: { _createdAt: now, _updatedAt: now, _updatedById: createdById },
    _configs: {},
    _secretHash: hashSecret(secret, secretKey),
    _trusted: false,
    _revision: 0,
    ...app,
  };
}
