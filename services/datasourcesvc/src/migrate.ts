import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { migrate, migrationSettings, packageVersion } from '@dtplatform/service';
import { schema } from './service.js';

const service = { name: 'datasourcesvc', schema, version: packageVersion(import.meta.url) };

await runProcess(
  'datasourcesvc-migrate',
  () => loadConfig(z.object(migrationSettings)),
  (config, context) => migrate(service, config, context),
);
