import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate, migrationSettings } from '@dtplatform/service';
import { indexes } from './store/indexes.js';

await runProcess(
  'itemsvc-migrate',
  () => loadConfig(z.object(migrationSettings)),
  (config, context) => migrate('itemsvc', config, context, indexes),
);
