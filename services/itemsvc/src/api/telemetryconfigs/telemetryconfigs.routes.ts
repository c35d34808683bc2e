import { accepted, ok, okPage, pagingOf, revision, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import {
  CONFIG_TYPE,
  NewTelemetryConfig,
  ShownTelemetryConfig,
  showTelemetryConfig,
} from '../../domain/telemetryconfigs/telemetry-config.js';
import {
  ListTelemetryConfigsQuery,
  NamespaceQuery,
  TelemetryConfigPage,
  TelemetryConfigParams,
} from './telemetryconfigs.schemas.js';

type CreateContext = RequestContext<unknown, z.infer<typeof NamespaceQuery>, NewTelemetryConfig>;

/** Telemetry configurations (docs/contract.md, "Telemetry config"). */
export const telemetryConfigRoutes = ({ telemetryConfigs }: Deps) =>
  routes('/telemetryconfigs', [
    route.post('/', {
      operation: 'telemetryConfigs.create',
      summary: 'Accept a telemetry configuration to be created.',
      query: NamespaceQuery,
      body: NewTelemetryConfig,
      needs: permitCreate(CONFIG_TYPE, ({ query, body }: CreateContext) => [query.nsfilter, ...body._namespaces]),
      replies: { 202: null },
      handler: async ({ query, body, access, req }) => {
        const request = { namespace: query.nsfilter, bodyBytes: Number(req.headers['content-length'] ?? 0) };
        const taskId = await telemetryConfigs.create(body, request, access);
        return accepted(`/itemsvc/api/v1/telemetry_async_tasks/${taskId}`);
      },
    }),
    route.get('/', {
      operation: 'telemetryConfigs.list',
      summary: 'The telemetry configurations that the caller may read.',
      query: ListTelemetryConfigsQuery,
      replies: { 200: TelemetryConfigPage },
      handler: async ({ query, access }) =>
        okPage(await telemetryConfigs.list(query.nsfilter, pagingOf(query), access), pagingOf(query)),
    }),
    route.get('/:id', {
      operation: 'telemetryConfigs.get',
      summary: 'A telemetry configuration with its update logs.',
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      needs: permit('READ', telemetryConfigs),
      etag: revision,
      show: showTelemetryConfig,
      replies: { 200: ShownTelemetryConfig },
      handler: async ({ resource }) => ok(resource),
    }),
  ]);
