import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { FailingMessage, QueueOperations, QueueState } from '@dtplatform/queue';

/** The queues of all services, for administrators. */
export function createQueues(operations: QueueOperations) {
  async function requireQueue(name: string): Promise<void> {
    if (!(await operations.has(name))) throw commonErrors.notFound();
  }

  return {
    async list({ offset, pageSize }: Paging): Promise<Listing<QueueState>> {
      const all = await operations.list();
      return { list: all.slice(offset, offset + pageSize), total: all.length };
    },
    /** Messages whose last attempt failed, the next attempt first. @throws notFound */
    async listFailing(name: string, { offset, pageSize: count }: Paging): Promise<Listing<FailingMessage>> {
      await requireQueue(name);
      return operations.listFailing(name, { offset, count });
    },
    /** @returns the ids of the messages that wait no longer. @throws notFound */
    async retry(name: string, ids: readonly string[]): Promise<string[]> {
      await requireQueue(name);
      return operations.retry(name, ids);
    },
    /** Ends messages without processing them. @returns their ids. @throws notFound */
    async discard(name: string, ids: readonly string[]): Promise<string[]> {
      await requireQueue(name);
      return operations.discard(name, ids);
    },
  };
}

export type Queues = ReturnType<typeof createQueues>;
