import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PermissionEntry } from '@dtplatform/contracts';
import { allOf, newNamespace } from '../namespaces/namespaces.js';
import { appIrn, DEFAULT_GRANT_TYPES } from './app.js';
import type { App } from './app.js';

const SECRET_BYTES = 32;

/** A new app secret: 256 random bits, in characters that need no escaping. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** A keyed hash suffices: secrets are random, so they cannot be guessed. */
export const hashSecret = (secret: string, key: Buffer): string =>
  createHmac('sha256', key).update(secret).digest('base64url');

/** Compares in constant time. */
export function secretMatches(secret: string, hash: string, key: Buffer): boolean {
  const actual = Buffer.from(hashSecret(secret, key));
  const expected = Buffer.from(hash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Initial grants: everything in its namespaces to the app, everything on the app to its owner. */
export const grantsOfApp = ({ _id, _namespaces, _ownerId }: App): PermissionEntry[] => [
  ...allOf(_namespaces, '*:*:*', { _type: 'app', _id }),
  ...(_ownerId === undefined ? [] : allOf(_namespaces, appIrn(_id), { _type: 'user', _id: _ownerId })),
];

export type NewApp = Pick<App, '_id' | '_name' | '_shortName' | '_orgId' | '_redirectUris'> &
  Partial<App> & { secret: string; createdById: string };

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
