import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import type { AcceptedRequest } from '../telemetryconfigs/telemetry-configs.js';
import { showDeadLetter } from './message.js';
import type { MessageStore, ShownDeadLetter } from './message.js';
import { RefusedMessage } from './read-messages.js';

/** Messages of devices, which a configuration turns into readings, and those with which that failed. */
export interface Messages {
  /** Accepts messages; refused ones become dead letters at once. Gives the id of the task that stores their readings. @throws 429 while too many wait */
  accept(config: TelemetryConfig, messages: (object | RefusedMessage)[], request: AcceptedRequest): Promise<string>;
  listDeadLetters(config: TelemetryConfig, paging: Paging): Promise<Listing<ShownDeadLetter>>;
  /** Accepts dead letters again, the oldest thousand by default. Gives the id of the task. @throws 404, 429 */
  replay(config: TelemetryConfig, ids: string[] | undefined, request: AcceptedRequest): Promise<string>;
  /** @throws 404 when none of them exists */
  removeDeadLetters(config: TelemetryConfig, ids: string[]): Promise<void>;
}

export const createMessages = ({ messageStore }: { messageStore: MessageStore }): Messages => ({
  accept: (config, messages, request) =>
    messageStore.accept(
      config,
      messages.map((message) =>
        message instanceof RefusedMessage ? message.read : { content: JSON.stringify(message) },
      ),
      request,
    ),

  async listDeadLetters({ _id }, paging) {
    const { list, total } = await messageStore.listDeadLetters(_id, paging);
    return { list: list.map(showDeadLetter), total };
  },

  replay: (config, ids, request) => messageStore.replay(config, ids, request),

  async removeDeadLetters({ _id }, ids) {
    if ((await messageStore.removeDeadLetters(_id, ids)) === 0) throw commonErrors.notFound();
  },
});
