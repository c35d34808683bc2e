import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate, migrationSettings, packageVersion } from '@dtplatform/runtime';
import { service } from './service.js';

const version = packageVersion(import.meta.url);

await runProcess(
  'metricsvc-migrate',
  () => loadConfig(z.object(migrationSettings)),
  (config, context) => migrate({ ...service, version }, config, context),
);
