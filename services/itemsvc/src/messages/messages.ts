import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import type { AcceptedRequest } from '../telemetryconfigs/telemetry-configs.js';
import { showDeadLetter } from './message.js';
import type { ShownDeadLetter } from './message.js';
import type { MessageStore } from './messages.store.js';
import { RejectedMessage } from './read-messages.js';

/** Messages of devices, which a configuration turns into readings, and those with which that failed. */
export const createMessages = ({ messageStore }: { messageStore: MessageStore }) => ({
  /** Accepts messages; rejected ones become dead letters at once. Gives the id of the task that stores their readings. @throws 429 while too many wait */
  accept: (
    config: TelemetryConfig,
    messages: (object | RejectedMessage)[],
    request: AcceptedRequest,
  ): Promise<string> =>
    messageStore.accept(
      config,
      messages.map((message) =>
        message instanceof RejectedMessage ? message.read : { content: JSON.stringify(message) },
      ),
      request,
    ),

  async listDeadLetters({ _id }: TelemetryConfig, paging: Paging): Promise<Listing<ShownDeadLetter>> {
    const { list, total } = await messageStore.listDeadLetters(_id, paging);
    return { list: list.map(showDeadLetter), total };
  },

  /** Accepts dead letters again, the oldest thousand by default. Gives the id of the task. @throws 404, 429 */
  replay: (config: TelemetryConfig, ids: string[] | undefined, request: AcceptedRequest): Promise<string> =>
    messageStore.replay(config, ids, request),

  /** @throws 404 when none of them exists */
  async removeDeadLetters({ _id }: TelemetryConfig, ids: string[]): Promise<void> {
    if ((await messageStore.removeDeadLetters(_id, ids)) === 0) throw commonErrors.notFound();
  },
});

export type Messages = ReturnType<typeof createMessages>;
