import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
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
import { CONFIG_TYPE } from '../telemetryconfigs/telemetry-config.js';
import type { TelemetryConfigs } from '../telemetryconfigs/telemetry-configs.js';
import { acceptedTask, NamespaceQuery, TelemetryConfigParams } from '../telemetryconfigs/telemetryconfigs.routes.js';
import { MAX_MESSAGES, ShownDeadLetter } from './message.js';
import type { Messages } from './messages.js';
import { readMessages, RejectedMessage } from './read-messages.js';

const Ids = z.array(ResourceId).min(1).max(1000);
const DeviceMessage = z.looseObject({}).meta({
  id: 'DeviceMessage',
  description:
    'A message of a device, with any fields. The bindings of the configuration match on `deviceType` and other fields.',
});

const DeadLetterParams = TelemetryConfigParams.extend({
  letterId: ResourceId.describe('The id of the dead letter.'),
});
const ListDeadLettersQuery = z.object({ nsfilter, ...pagingParameters() });
const DeadLetterPage = pageOf(ShownDeadLetter).meta({
  id: 'DeadLetterPage',
  description: 'A page of dead letters.',
});
const DeleteDeadLettersQuery = NamespaceQuery.extend({
  _ids: listParameter(ResourceId, 1000)
    .pipe(Ids)
    .describe('The ids of the dead letters to delete, separated by commas.'),
});
const ShownMessagesBody = z.array(DeviceMessage).min(1).max(MAX_MESSAGES);
const MessagesBody = z
  .array(z.union([z.instanceof(RejectedMessage), DeviceMessage]))
  .min(1)
  .max(MAX_MESSAGES);
const ReplayBody = z
  .object({
    _ids: Ids.optional().describe('The ids of the dead letters to process again; by default the oldest thousand.'),
  })
  .meta({ id: 'Replay', description: 'The dead letters to process again.' });

const MAX_BODY_BYTES = 4 * 1024 * 1024;

interface Parts {
  telemetryConfigs: TelemetryConfigs;
  messages: Messages;
}

export const messageRoutes = ({ telemetryConfigs, messages }: Parts) =>
  routes('/telemetryconfigs', [
    route.post('/:id/messages', {
      operation: 'messages.create',
      summary: 'Send up to 1000 messages of devices, which the configuration turns into readings.',
      description:
        'The body can be up to 4 MiB. The response of the task contains `_total`, the number of messages, and `_deadLetters`, the number that failed.',
      errors: [commonErrors.tooManyRequests],
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      parse: readMessages,
      body: MessagesBody,
      shownBody: ShownMessagesBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', CONFIG_TYPE, telemetryConfigs),
      responses: { 202: null },
      headers: { 202: [locationHeader] },
      handler: async ({ resource, body, bodyBytes, access }) =>
        acceptedTask(await messages.accept(resource, body, { byId: access.principal.id, bodyBytes })),
    }),
    route.get('/:id/deadletters', {
      operation: 'deadLetters.list',
      summary: 'List the messages whose readings could not be stored, newest first.',
      description: 'A page with more than one dead letter is at most 1 MiB.',
      params: TelemetryConfigParams,
      query: ListDeadLettersQuery,
      needs: permit('READ', CONFIG_TYPE, telemetryConfigs),
      responses: { 200: DeadLetterPage },
      handler: async ({ resource, query }) => {
        const paging = pagingOf(query);
        return okPage(await messages.listDeadLetters(resource, paging), paging);
      },
    }),
    route.post('/:id/deadletters/replay', {
      operation: 'deadLetters.replay',
      summary: 'Process the given dead letters again, or the oldest thousand.',
      description: 'Up to 4 MiB per call, oldest first.',
      errors: [commonErrors.tooManyRequests],
      params: TelemetryConfigParams,
      query: NamespaceQuery,
      body: ReplayBody,
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      responses: { 202: null },
      headers: { 202: [locationHeader] },
      handler: async ({ resource, body, bodyBytes, access }) => {
        const request = { byId: access.principal.id, bodyBytes };
        return acceptedTask(await messages.replay(resource, body._ids, request));
      },
    }),
    route.delete('/:id/deadletters', {
      operation: 'deadLetters.deleteMany',
      summary: 'Delete the given dead letters.',
      params: TelemetryConfigParams,
      query: DeleteDeadLettersQuery,
      needs: permit('EDIT', CONFIG_TYPE, telemetryConfigs),
      responses: { 204: null },
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
      responses: { 204: null },
      handler: async ({ resource, params }) => {
        await messages.removeDeadLetters(resource, [params.letterId]);
        return noContent();
      },
    }),
  ]);
