import { z } from 'zod';
import { loadConfig, s3Settings } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate, migrationSettings } from '@dtplatform/service';
import { openObjectStore } from './deps.js';
import { indexes } from './store/indexes.js';

await runProcess(
  'graphicssvc-migrate',
  () => loadConfig(z.object({ ...migrationSettings, ...s3Settings })),
  (config, context) =>
    migrate('graphicssvc', config, context, indexes, async () => {
      const objects = openObjectStore(config);
      context.lifecycle.onStop('object store', () => objects.close());
      await objects.ensureBucket();
    }),
);
