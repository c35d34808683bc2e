import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import type { AcceptedRequest } from '../telemetryconfigs/telemetry-configs.js';
import { showDeadLetter } from './message.js';
import type { ShownDeadLetter } from './message.js';
import type { MessageStore } from './messages.store.js';
import { RejectedMessage } from './read-messages.js';

/** Device messages and the dead letters of those that failed. */
export const createMessages = ({ messageStore }: { messageStore: MessageStore }) => ({
  /**
   * Accepts messages; invalid ones become dead letters immediately.
   * @returns the id of the task
   * @throws 429 if too many wait
   */
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

  /** Accepts dead letters again, by default the oldest thousand. @returns the id of the task @throws 404, 429 */
  replay: (config: TelemetryConfig, ids: string[] | undefined, request: AcceptedRequest): Promise<string> =>
    messageStore.replay(config, ids, request),

  /** @throws 404 if none of them exists */
  async removeDeadLetters({ _id }: TelemetryConfig, ids: string[]): Promise<void> {
    if ((await messageStore.removeDeadLetters(_id, ids)) === 0) throw commonErrors.notFound();
  },
});

export type Messages = ReturnType<typeof createMessages>;
