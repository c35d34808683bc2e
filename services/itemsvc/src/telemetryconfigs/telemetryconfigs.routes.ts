import { z } from 'zod';
import { AsyncTask, ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import {
  accepted,
  documents,
  locationHeader,
  nsfilter,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import {
  CONFIG_TYPE,
  ListedTelemetryConfig,
  NewTelemetryConfig,
  ShownTelemetryConfig,
  showTelemetryConfig,
  TelemetryConfigChange,
} from './telemetry-config.js';
import type { TelemetryConfigs } from './telemetry-configs.js';

/** 202 with the URL of a telemetry task. */
export const acceptedTask = (taskId: string) => accepted(`/itemsvc/api/v1/telemetry_async_tasks/${taskId}`);

export const TelemetryConfigParams = z.object({ id: ResourceId.describe('The id of the configuration.') });
export const NamespaceQuery = z.object({ nsfilter });
const OptionalNamespaceQuery = z.object({
  nsfilter: nsfilter.optional().describe('One of the namespaces of the configuration; any by default.'),
});
const ListTelemetryConfigsQuery = z.object({
  nsfilter: nsfilter
    .optional()
    .describe('The namespace whose configurations to list; by default, all namespaces of the caller.'),
  ...pagingParameters(),
});
const TelemetryConfigPage = pageOf(ListedTelemetryConfig).meta({
  id: 'TelemetryConfigPage',
  description: 'A page of telemetry configurations.',
});

/** Rejections of a change that is queued behind others. */
const unacceptable = [commonErrors.conflict, commonErrors.tooManyRequests];

type CreateContext = RequestContext<unknown, z.infer<typeof NamespaceQuery>, NewTelemetryConfig>;

export const telemetryConfigRoutes = ({ telemetryConfigs }: { telemetryConfigs: TelemetryConfigs }) =>
  routes('/telemetryconfigs', [
    route.post('/', {
      operation: 'telemetryConfigs.create',
      summary: 'Create a telemetry configuration asynchronously.',
      description:
        'The response of the task contains the configuration. The caller needs CREATE on all related items in its collections.',
      errors: [errors.namespaceNotIncluded, errors.shortNameTaken],
      query: NamespaceQuery,
      body: NewTelemetryConfig,
      needs: permitCreate(CONFIG_TYPE, ({ body }: CreateContext) => [body]),
      responses: { 202: null },
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
      responses: { 200: TelemetryConfigPage },
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
      responses: { 200: ShownTelemetryConfig },
      handler: async ({ resource }) => ok(resource),
    }),
    route.put('/:id', {
      operation: 'telemetryConfigs.update',
      summary: 'Change a telemetry configuration asynchronously.',
      description:
        'Changes are applied in the order in which they were accepted; up to ten can wait. `If-Match` is checked immediately and again when the change is applied. ' +
        'Adding and removing namespaces requires the same permissions as for items.',
      errors: [errors.namespaceNotIncluded, errors.shortNameTaken, ...unacceptable],
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      body: TelemetryConfigChange,
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      responses: { 202: null },
      headers: { 202: [locationHeader] },
      ifMatch: true,
      handler: async ({ resource, query, body, bodyBytes, access, precondition }) => {
        const context = { namespace: query.nsfilter, bodyBytes, access, precondition };
        return acceptedTask(await telemetryConfigs.update(resource, body, context));
      },
    }),
    route.delete('/:id', {
      operation: 'telemetryConfigs.delete',
      summary: 'Delete a telemetry configuration asynchronously in all its namespaces.',
      description:
        'The task applies earlier accepted changes first. This requires DELETE in the namespace in which it was created. Otherwise, it is only removed from the namespace of the call.',
      errors: unacceptable,
      params: TelemetryConfigParams,
      query: OptionalNamespaceQuery,
      needs: documents({ rule: 'resource', action: 'DELETE', resource: CONFIG_TYPE }),
      responses: { 202: null },
      headers: { 202: [locationHeader] },
      ifMatch: true,
      handler: async ({ params, query, bodyBytes, access, precondition }) => {
        const context = { namespace: query.nsfilter, bodyBytes, access, precondition };
        return acceptedTask(await telemetryConfigs.remove(params.id, context));
      },
    }),
  ]);

export const telemetryTaskRoutes = ({ telemetryConfigs }: { telemetryConfigs: TelemetryConfigs }) =>
  routes('/telemetry_async_tasks', [
    route.get('/:id', {
      operation: 'telemetryTasks.get',
      summary:
        'Read the state of an accepted change of a telemetry configuration, or of accepted messages, for the caller that sent them.',
      needs: documents({ rule: 'own' }),
      params: z.object({ id: ResourceId.describe('The id of the task.') }),
      responses: { 200: AsyncTask },
      handler: async ({ params, access }) => ok(await telemetryConfigs.getTask(params.id, access)),
    }),
  ]);
