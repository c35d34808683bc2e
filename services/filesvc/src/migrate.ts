import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate } from '@dtplatform/service';
import { MigrationConfig } from './config.js';
import { openObjects } from './deps.js';
import { indexes } from './store/indexes.js';

await runProcess(
  'filesvc-migrate',
  () => loadConfig(MigrationConfig),
  (config, context) => migrate('filesvc', config, context, indexes, () => openObjects(config, context).ensureBucket()),
);
