import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { listPage, lockParent, newId, oneOf, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import { idAtOffset, newArrivalId } from '../readings/readings.model.js';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import type { AcceptedRequest } from '../telemetryconfigs/telemetry-configs.js';
import { telemetryConfigModel } from '../telemetryconfigs/telemetry-configs.model.js';
import { createDropOldest, createWaitingLimit, firstWithin } from './message-limits.store.js';
import type { DeadLetter } from './message.js';
import { deadLetterModel, deadLetterOf, messageModel } from './messages.model.js';
import { MAX_READINGS } from './normalize.js';
import type { ReadMessage } from './read-messages.js';

/** Per replay. */
const MAX_REPLAYED = 1000;
const MAX_REPLAYED_BYTES = 4 * 1024 * 1024;
/** For pages of more than one dead letter: parsed content takes several times its size. */
const MAX_PAGE_BYTES = 1024 * 1024;
const RETRY_AFTER_SEC = 5;

/** Input of the task that processes accepted messages. */
export interface IngestInput {
  total: number;
}

interface Deps {
  mongo: Mongo;
  tasks: Tasks;
  ingestMessage: MessageType<TaskPayload>;
}

export function createMessageStore({ mongo, tasks, ingestMessage }: Deps) {
  const messages = mongo.model(messageModel);
  const deadLetters = mongo.model(deadLetterModel);
  const configs = mongo.model(telemetryConfigModel);
  const waitingLimit = createWaitingLimit(mongo);
  const dropOldest = createDropOldest(mongo);

  async function checkLimit(config: TelemetryConfig): Promise<void> {
    if (!(await waitingLimit.isFull(config))) return;
    const message = 'Too many messages of the configuration or its namespaces are waiting.';
    throw commonErrors.tooManyRequests({ retryAfterSec: RETRY_AFTER_SEC, message });
  }

  /** Ids and sizes of dead letters, without their content. */
  async function sizesOf(match: object, order: 1 | -1, limit: number, offset: number, session?: ClientSession) {
    if (limit === 0) return [];
    const stages = [{ $match: match }, { $sort: { _id: order } }, { $skip: offset }, { $limit: limit }];
    return deadLetters.aggregate<{ _id: string; bytes: number }>([...stages, { $project: { bytes: 1 } }] as never, {
      session,
    });
  }

  async function insert(
    config: TelemetryConfig,
    contents: (ReadMessage & { createdAt: number })[],
    { byId, bodyBytes }: AcceptedRequest,
    session: ClientSession,
  ): Promise<string> {
    await touchParents(mongo, [config._id], session);
    if (!(await configs.exists({ _id: config._id }).session(session))) throw commonErrors.notFound();
    const [groupId, arrivalId] = [newId(), newArrivalId(session)];
    const { waiting, failed } = messagesOf(config, contents, { groupId, arrivalId });
    await messages.insertMany(waiting, { session, lean: true });
    await deadLetters.insertMany(failed, { session, lean: true });
    return tasks.create<IngestInput>(session, {
      id: groupId,
      message: ingestMessage,
      namespaces: config._namespaces,
      input: { total: contents.length },
      createdById: byId,
      reqBodySize: bodyBytes,
      total: contents.length,
    });
  }

  return {
    /**
     * Accepts messages and creates their task. Messages with a failure become dead letters immediately.
     * @returns the id of the task
     * @throws 404 if the configuration is gone, 429 if too many messages of it or of its namespaces wait
     */
    async accept(config: TelemetryConfig, read: ReadMessage[], request: AcceptedRequest): Promise<string> {
      await checkLimit(config);
      await waitingLimit.add(
        config,
        read.map(({ content }) => content),
      );
      const createdAt = Date.now();
      const all = read.map((one) => ({ ...one, createdAt }));
      const taskId = await mongo.transaction((session) => insert(config, all, request, session));
      if (read.some(({ failure }) => failure)) await dropOldest(config._id);
      return taskId;
    },

    /** Newest first. */
    async listDeadLetters(configId: string, paging: Paging): Promise<Listing<DeadLetter>> {
      const sizes = await sizesOf({ configId }, -1, paging.pageSize, paging.offset);
      if (firstWithin(sizes, MAX_PAGE_BYTES).length < sizes.length) throw commonErrors.pageTooLarge();
      return listPage<DeadLetter>(deadLetters, { configId }, { paging, sort: { _id: -1 } });
    },

    /** Accepts dead letters again, by default the oldest thousand. @throws like `accept`; 404 if none matches */
    async replay(config: TelemetryConfig, ids: string[] | undefined, request: AcceptedRequest): Promise<string> {
      await checkLimit(config);
      const wanted = { configId: config._id, ...(ids && { _id: { $in: ids } }) };
      return mongo.transaction(async (session) => {
        const sizes = await sizesOf(wanted, 1, MAX_REPLAYED, 0, session);
        if (sizes.length === 0) throw commonErrors.notFound();
        const own = { _id: oneOf(firstWithin(sizes, MAX_REPLAYED_BYTES)) };
        const found = await deadLetters.find(own).sort({ _id: 1 }).session(session).lean();
        await deadLetters.deleteMany(own, { session });
        const contents = found.map(({ content, createdAt }) => ({ content, createdAt }));
        return insert(config, contents, request, session);
      });
    },

    /** @returns how many were removed */
    removeDeadLetters: async (configId: string, ids: string[]): Promise<number> =>
      (await deadLetters.deleteMany({ configId, _id: oneOf(ids) })).deletedCount,
  };
}

export type MessageStore = ReturnType<typeof createMessageStore>;

function messagesOf(
  { _id: configId, _namespaces: namespaces }: TelemetryConfig,
  contents: (ReadMessage & { createdAt: number })[],
  { groupId, arrivalId }: { groupId: string; arrivalId: string },
) {
  const all = contents.map(({ content, createdAt, failure }, index) => {
    const _id = idAtOffset(arrivalId, index * MAX_READINGS);
    return { failure, message: { _id, configId, groupId, content, createdAt, bytes: Buffer.byteLength(content) } };
  });
  return {
    waiting: all.flatMap(({ failure, message }) => (failure ? [] : [{ ...message, namespaces }])),
    failed: all.flatMap(({ failure, message }) => (failure ? [deadLetterOf(message, failure)] : [])),
  };
}

/** Removes the messages and dead letters of a configuration, in the transaction that deletes it. */
export async function removeMessages(mongo: Mongo, configId: string, session: ClientSession): Promise<void> {
  await lockParent(mongo, configId, session);
  await mongo.model(messageModel).deleteMany({ configId }, { session });
  await mongo.model(deadLetterModel).deleteMany({ configId }, { session });
}
