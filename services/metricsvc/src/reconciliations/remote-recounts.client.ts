import { UsageRecount } from '@dtplatform/contracts';
import type { ServiceClient } from '@dtplatform/service-client';
import type { UsageSource } from './compare.js';

export const remoteRecounts = (service: string, client: ServiceClient): UsageSource => ({
  prefix: `dtplatform.${service}.`,
  recount: (query, signal) => client.call({ path: `/${service}/api/v1/usage`, query, signal }, UsageRecount),
});
