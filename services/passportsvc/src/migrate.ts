import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate, packageVersion } from '@dtplatform/runtime';
import { MigrationConfig } from './config.js';
import { bootstrapDatabase, service } from './service.js';

const version = packageVersion(import.meta.url);

/** Standard output only: logs are retained and widely readable. */
const print = (text: string) => void process.stdout.write(`${text}\n`);

await runProcess(
  'passportsvc-migrate',
  () => loadConfig(MigrationConfig),
  (config, context) =>
    migrate({ ...service, version }, config, context, { more: (mongo) => bootstrapDatabase(mongo, config, print) }),
);
