import { z } from 'zod';
import { loadConfig, s3Settings } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import { migrate, migrationSettings, packageVersion } from '@dtplatform/runtime';
import { service } from './service.js';

const version = packageVersion(import.meta.url);

await runProcess(
  'graphicssvc-migrate',
  () => loadConfig(z.object({ ...migrationSettings, ...s3Settings })),
  async (config, context) => {
    const objects = openObjectStore(config, context);
    await migrate({ ...service, version }, config, context, {
      more: () => objects.ensureBucket(),
      errorMappers: [s3Errors],
    });
  },
);
