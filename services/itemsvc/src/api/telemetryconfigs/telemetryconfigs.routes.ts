import { ok, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { CONFIG_TYPE } from '../../domain/telemetry/telemetry-config.js';
import { createTelemetryConfig } from './create-telemetry-config.handler.js';
import { listTelemetryConfigs } from './list-telemetry-configs.handler.js';
import {
  CreateTelemetryConfigBody,
  ListTelemetryConfigsQuery,
  NamespaceQuery,
  TelemetryConfig,
  TelemetryConfigPage,
  TelemetryConfigParams,
} from './telemetryconfigs.schemas.js';

type CreateContext = RequestContext<unknown, NamespaceQuery, CreateTelemetryConfigBody>;
type ByIdContext = RequestContext<TelemetryConfigParams, NamespaceQuery>;

export const telemetryConfigRoutes = (deps: Deps) =>
  routes('/telemetryconfigs', [
    route.post('/', {
      operation: 'telemetryConfigs.create',
      summary: 'Accept a telemetry configuration to be created.',
      query: NamespaceQuery,
      body: CreateTelemetryConfigBody,
      needs: permitCreate(CONFIG_TYPE, ({ query, body }: CreateContext) => [query.nsfilter, ...body._namespaces]),
      replies: { 202: null },
      handler: createTelemetryConfig(deps),
    }),
    route.get('/', {
      operation: 'telemetryConfigs.list',
      summary: 'The telemetry configurations that the caller may see.',
      query: ListTelemetryConfigsQuery,
      replies: { 200: TelemetryConfigPage },
      handler: listTelemetryConfigs(deps),
    }),
    route.get('/:id', {
      operation: 'telemetryConfigs.get',
      summary: 'A telemetry configuration with its update logs.',
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      needs: permit('READ', ({ params, query }: ByIdContext) =>
        deps.telemetryConfigStore.find(params.id, query.nsfilter),
      ),
      replies: { 200: TelemetryConfig },
      handler: async ({ resource }) => ok(resource),
    }),
  ]);
