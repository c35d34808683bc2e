import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import { migrate, packageVersion } from '@dtplatform/runtime';
import { MigrationConfig } from './config.js';
import { service } from './service.js';

const version = packageVersion(import.meta.url);

await runProcess(
  'filesvc-migrate',
  () => loadConfig(MigrationConfig),
  async (config, context) => {
    const objects = openObjectStore(config, context);
    const more = async () => {
      await objects.ensureBucket();
      const rejection = await objects.ensureCors();
      if (rejection) context.log.warn({ refusal: rejection }, 'the object store rejected the CORS rules of the bucket');
    };
    await migrate({ ...service, version }, config, context, { more, errorMappers: [s3Errors] });
  },
);
