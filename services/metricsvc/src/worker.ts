import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/service';
import { WorkerConfig } from './config.js';
import { startUsageWorker } from './jobs/usage-worker.js';

await runProcess(
  'metricsvc-worker',
  () => loadConfig(WorkerConfig),
  async (config, context) => {
    const { checks } = await startUsageWorker(config, context);
    await serve(undefined, { ...context, config, checks });
  },
);
