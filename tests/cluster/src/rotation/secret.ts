import type { TestRun } from '../test-run.js';
import type { Account } from './accounts.js';

const NAME = 'credentials';

export interface Credentials {
  /** The account for all backends. */
  backends?: Account;
  serviceClient?: Account;
  /** Encryption keys of passportsvc, by their key in the Secret. */
  keys?: Record<string, string>;
}

/** Names of encryption keys in the Secret. */
export interface EncryptionKeys {
  key: string;
  previousKey?: string;
}

export type Secret = ReturnType<typeof secretOf>;

/** The Secret from which the platform takes the credentials that are rotated. */
export const secretOf = ({ kubectl, uninterrupted }: TestRun, withS3: boolean) => ({
  create: (credentials: Credentials) =>
    kubectl.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: NAME }, stringData: dataOf(credentials) }),
  change: (credentials: Credentials) =>
    kubectl.run('patch', 'secret', NAME, '--patch', JSON.stringify({ stringData: dataOf(credentials) })),
  remove: () => uninterrupted.run('delete', 'secret', NAME, '--ignore-not-found'),
  /** Values of charts/platform. */
  values: (keys: EncryptionKeys) => {
    const from = { existingSecret: NAME };
    const s3 = withS3 ? { s3: from } : {};
    return {
      global: { mongodb: from, redis: from, serviceClient: from, ...s3 },
      passportsvc: { keyEncryption: { ...from, ...keys } },
    };
  },
});

function dataOf({ backends, serviceClient, keys }: Credentials): Record<string, string> {
  const login = `${backends?.name}:${backends?.password}`;
  return {
    ...(backends && {
      'mongodb-url': `mongodb://${login}@mongodb:27017/?replicaSet=rs0&directConnection=true&authSource=admin`,
      'redis-url': `redis://${login}@redis:6379`,
      'access-key': backends.name,
      'secret-key': backends.password,
    }),
    ...(serviceClient && { 'client-id': serviceClient.name, 'client-secret': serviceClient.password }),
    ...keys,
  };
}
