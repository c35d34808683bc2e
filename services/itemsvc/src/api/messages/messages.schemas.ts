import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { listParameter, nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { MAX_MESSAGES, ShownDeadLetter } from '../../domain/messages/message.js';
import { RefusedMessage } from '../../domain/messages/read-messages.js';
import { NamespaceQuery, TelemetryConfigParams } from '../telemetryconfigs/telemetryconfigs.schemas.js';

const Ids = z.array(ResourceId).min(1).max(1000);
const DeviceMessage = z.looseObject({}).meta({
  id: 'DeviceMessage',
  description:
    'A message of a device, with any fields. The bindings of the configuration compare `deviceType` and others.',
});

export const DeadLetterParams = TelemetryConfigParams.extend({
  letterId: ResourceId.describe('The id of the dead letter.'),
});
export const ListDeadLettersQuery = z.object({ nsfilter, ...pagingParameters() });
export const DeadLetterPage = pageOf(ShownDeadLetter).meta({
  id: 'DeadLetterPage',
  description: 'A page of dead letters.',
});
export const DeleteDeadLettersQuery = NamespaceQuery.extend({
  _ids: listParameter(ResourceId, 1000)
    .pipe(Ids)
    .describe('The ids of the dead letters to delete, separated by commas.'),
});
export const ShownMessagesBody = z.array(DeviceMessage).min(1).max(MAX_MESSAGES);
export const MessagesBody = z
  .array(z.union([z.instanceof(RefusedMessage), DeviceMessage]))
  .min(1)
  .max(MAX_MESSAGES);
export const ReplayBody = z
  .object({
    _ids: Ids.optional().describe('The ids of the dead letters to process again; by default the oldest thousand.'),
  })
  .meta({ id: 'Replay', description: 'Which dead letters to process again.' });
