import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/service';
import { WorkerConfig } from './config.js';
import { startFileWorker } from './jobs/file-worker.js';

await runProcess(
  'filesvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, context) => {
    const { checks } = await startFileWorker(config, context);
    await serve(undefined, { ...context, config, checks });
  },
);
