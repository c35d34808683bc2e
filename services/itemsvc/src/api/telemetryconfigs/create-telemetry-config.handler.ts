import { accepted } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { CreateTelemetryConfigBody, NamespaceQuery } from './telemetryconfigs.schemas.js';

/** POST /telemetryconfigs: accepted; `Location` is the task that tells when the configuration is there. */
export const createTelemetryConfig =
  ({ telemetryConfigs }: Deps): Handler<{ query: NamespaceQuery; body: CreateTelemetryConfigBody }> =>
  async ({ query, body, access, req }) => {
    const request = { namespace: query.nsfilter, bodyBytes: Number(req.headers['content-length'] ?? 0) };
    const taskId = await telemetryConfigs.create(body, request, access);
    return accepted(`/itemsvc/api/v1/telemetry_async_tasks/${taskId}`);
  };
