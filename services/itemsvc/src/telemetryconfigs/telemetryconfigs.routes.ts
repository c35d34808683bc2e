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
  nsfilter: nsfilter.optional().describe('A namespace of the configuration; any by default.'),
});
const ListTelemetryConfigsQuery = z.object({
  nsfilter: nsfilter.optional().describe('The namespace whose configurations to list; all of the caller by default.'),
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
      summary: 'Create a telemetry configuration, by a task.',
      description:
        'The response of the task has the configuration. The caller needs CREATE on all related items in the collections that it names.',
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
      summary: 'Change a telemetry configuration, by a task.',
      description:
        'Changes of a configuration are made in the order in which they were accepted; up to ten may wait. `If-Match` is compared immediately, and again when the change is made. ' +
        'Adding and removing namespaces requires what it does for items.',
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
      summary: 'Delete a telemetry configuration in all its namespaces, by a task.',
      description:
        'The task deletes it after the changes that were accepted before. This requires DELETE in the namespace of the call that created it. Without, it is only taken out of the namespace of the call.',
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
