import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate } from '@dtplatform/service';
import { bootstrap } from './bootstrap/bootstrap.js';
import { MigrationConfig } from './config.js';
import { indexes } from './store/indexes.js';

/** Not into the log, which is kept and read by many. */
const print = (text: string) => void process.stdout.write(`${text}\n`);

await runProcess(
  'passportsvc-migrate',
  () => loadConfig(MigrationConfig),
  (config, context) => migrate('passportsvc', config, context, indexes, (mongo) => bootstrap(mongo, config, print)),
);
