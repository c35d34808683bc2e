import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import {
  listParameter,
  locationHeader,
  noContent,
  nsfilter,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  route,
  routes,
} from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { MAX_MESSAGES, ShownDeadLetter } from '../../domain/messages/message.js';
import { CONFIG_TYPE } from '../../domain/telemetryconfigs/telemetry-config.js';
import { acceptedTask } from '../accepted-task.js';
import { NamespaceQuery, TelemetryConfigParams } from '../telemetryconfigs/telemetryconfigs.schemas.js';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const Ids = z.array(ResourceId).min(1).max(1000);
const DeadLetterParams = TelemetryConfigParams.extend({ letterId: ResourceId });

/** Messages of devices and what becomes of them (docs/contract.md, "Messages of devices"). */
export const messageRoutes = ({ telemetryConfigs, messages }: Pick<Deps, 'telemetryConfigs' | 'messages'>) =>
  routes('/telemetryconfigs', [
    route.post('/:id/messages', {
      operation: 'messages.create',
      summary: 'Accept messages of devices, which the configuration turns into readings.',
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      body: z.array(z.looseObject({})).min(1).max(MAX_MESSAGES),
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', CONFIG_TYPE, telemetryConfigs),
      replies: { 202: null },
      headers: { 202: [locationHeader] },
      handler: async ({ resource, body, bodyBytes, access }) =>
        acceptedTask(await messages.accept(resource, body, { byId: access.principal.id, bodyBytes })),
    }),
    route.get('/:id/deadletters', {
      operation: 'deadLetters.list',
      summary: 'Messages whose readings could not be stored, the latest first.',
      params: TelemetryConfigParams,
      query: z.object({ nsfilter, ...pagingParameters() }),
      needs: permit('READ', CONFIG_TYPE, telemetryConfigs),
      replies: { 200: pageOf(ShownDeadLetter) },
      handler: async ({ resource, query }) => {
        const paging = pagingOf(query);
        return okPage(await messages.listDeadLetters(resource, paging), paging);
      },
    }),
    route.post('/:id/deadletters/replay', {
      operation: 'deadLetters.replay',
      summary: 'Accept dead letters again: the named ones, or the oldest thousand.',
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      body: z.object({ _ids: Ids.optional() }),
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      replies: { 202: null },
      headers: { 202: [locationHeader] },
      handler: async ({ resource, body, bodyBytes, access }) => {
        const request = { byId: access.principal.id, bodyBytes };
        return acceptedTask(await messages.replay(resource, body._ids, request));
      },
    }),
    route.delete('/:id/deadletters', {
      operation: 'deadLetters.deleteMany',
      summary: 'Delete the named dead letters.',
      params: TelemetryConfigParams,
      query: NamespaceQuery.extend({ _ids: listParameter(ResourceId, 1000).pipe(Ids) }),
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      replies: { 204: null },
      handler: async ({ resource, query }) => {
        await messages.removeDeadLetters(resource, query._ids);
        return noContent();
      },
    }),
    route.delete('/:id/deadletters/:letterId', {
      operation: 'deadLetters.delete',
      summary: 'Delete a dead letter.',
      params: DeadLetterParams,
      query: NamespaceQuery,
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      replies: { 204: null },
      handler: async ({ resource, params }) => {
        await messages.removeDeadLetters(resource, [params.letterId]);
        return noContent();
      },
    }),
  ]);
