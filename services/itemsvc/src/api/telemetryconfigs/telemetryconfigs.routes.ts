import { documents, locationHeader, ok, okPage, pagingOf, revision, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import {
  CONFIG_TYPE,
  NewTelemetryConfig,
  ShownTelemetryConfig,
  showTelemetryConfig,
  TelemetryConfigChange,
} from '../../domain/telemetryconfigs/telemetry-config.js';
import { errors } from '../../errors.js';
import { acceptedTask } from '../accepted-task.js';
import { unacceptable } from './telemetryconfigs.errors.js';
import {
  ListTelemetryConfigsQuery,
  NamespaceQuery,
  OptionalNamespaceQuery,
  TelemetryConfigPage,
  TelemetryConfigParams,
} from './telemetryconfigs.schemas.js';

type CreateContext = RequestContext<unknown, z.infer<typeof NamespaceQuery>, NewTelemetryConfig>;

/** Telemetry configurations (docs/contract.md, "Telemetry config"). */
export const telemetryConfigRoutes = ({ telemetryConfigs }: Deps) =>
  routes('/telemetryconfigs', [
    route.post('/', {
      operation: 'telemetryConfigs.create',
      summary: 'Create a telemetry configuration, by a task.',
      description:
        'The response of the task has the configuration. The caller needs CREATE on all related items in the collections that it names.',
      errors: [errors.namespaceNotIncluded, errors.shortNameTaken],
      query: NamespaceQuery,
      body: NewTelemetryConfig,
      needs: permitCreate(CONFIG_TYPE, ({ body }: CreateContext) => [body]),
      replies: { 202: null },
      headers: { 202: [locationHeader] },
      handler: async ({ query, body, bodyBytes, access }) => {
        const request = { namespace: query.nsfilter, bodyBytes };
        return acceptedTask(await telemetryConfigs.create(body, request, access));
      },
    }),
    route.get('/', {
      operation: 'telemetryConfigs.list',
      summary: 'List the telemetry configurations that the caller may read.',
      needs: documents({ rule: 'filter', action: 'READ', resource: CONFIG_TYPE }),
      query: ListTelemetryConfigsQuery,
      replies: { 200: TelemetryConfigPage },
      handler: async ({ query, access }) =>
        okPage(await telemetryConfigs.list(query.nsfilter, pagingOf(query), access), pagingOf(query)),
    }),
    route.get('/:id', {
      operation: 'telemetryConfigs.get',
      summary: 'Read a telemetry configuration with its update logs.',
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      needs: permit('READ', CONFIG_TYPE, telemetryConfigs),
      etag: revision,
      show: showTelemetryConfig,
      replies: { 200: ShownTelemetryConfig },
      handler: async ({ resource }) => ok(resource),
    }),
    route.put('/:id', {
      operation: 'telemetryConfigs.update',
      summary: 'Change a telemetry configuration, by a task.',
      description:
        'Changes of a configuration are made in the order in which they were accepted; up to ten may wait. `If-Match` is compared immediately, and again when the change is made. ' +
        'Adding and removing namespaces requires what it does for items.',
      errors: [errors.namespaceNotIncluded, errors.shortNameTaken, ...unacceptable],
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      body: TelemetryConfigChange,
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      replies: { 202: null },
      headers: { 202: [locationHeader] },
      ifMatch: true,
      handler: async ({ resource, query, body, bodyBytes, access, precondition }) => {
        const context = { namespace: query.nsfilter, bodyBytes, access, precondition };
        return acceptedTask(await telemetryConfigs.update(resource, body, context));
      },
    }),
    route.delete('/:id', {
      operation: 'telemetryConfigs.delete',
      summary: 'Delete a telemetry configuration in all its namespaces, by a task.',
      description:
        'The task deletes it after the changes that were accepted before. This requires DELETE in the namespace of the call that created it. Without, it is only taken out of the namespace of the call.',
      errors: unacceptable,
      params: TelemetryConfigParams,
      query: OptionalNamespaceQuery,
      needs: documents({ rule: 'resource', action: 'DELETE', resource: CONFIG_TYPE }),
      replies: { 202: null },
      headers: { 202: [locationHeader] },
      ifMatch: true,
      handler: async ({ params, query, bodyBytes, access, precondition }) => {
        const context = { namespace: query.nsfilter, bodyBytes, access, precondition };
        return acceptedTask(await telemetryConfigs.remove(params.id, context));
      },
    }),
  ]);
