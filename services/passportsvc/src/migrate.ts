import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate, packageVersion } from '@dtplatform/service';
import { bootstrap } from './bootstrap/bootstrap.js';
import { MigrationConfig } from './config.js';
import { schema } from './store/schema.js';

const service = { name: 'passportsvc', schema, version: packageVersion(import.meta.url) };

/** Not into the log, which is kept and read by many. */
const print = (text: string) => void process.stdout.write(`${text}\n`);

await runProcess(
  'passportsvc-migrate',
  () => loadConfig(MigrationConfig),
  (config, context) => migrate(service, config, context, { more: (mongo) => bootstrap(mongo, config, print) }),
);
