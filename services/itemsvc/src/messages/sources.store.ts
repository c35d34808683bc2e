import { oneOf, touchParents } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { newArrivalId } from '../readings/readings.model.js';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import { telemetryConfigModel } from '../telemetryconfigs/telemetry-configs.model.js';
import { createDropOldest, createWaitingLimit } from './message-limits.store.js';
import type { Delivery, Source } from './message.js';
import { deadLetterModel, deadLetterOf, deliveryModel, messageModel } from './messages.model.js';
import { CannotIngest } from './normalize.js';

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  groupMessage: MessageType<{ groupId: string }>;
}

/** Messages of the same second are processed as a group. */
const groupOf = (configId: string) => `${configId}-${Math.floor(Date.now() / 1000)}`;

const TOO_MANY = new CannotIngest(
  'TOO_MANY_MESSAGES',
  'Too many messages of the configuration or its namespaces are waiting.',
);

export function createSourceStore({ mongo, outbox, groupMessage }: Deps) {
  const configs = mongo.model(telemetryConfigModel);
  const messages = mongo.model(messageModel);
  const deadLetters = mongo.model(deadLetterModel);
  const dropOldest = createDropOldest(mongo);
  const deliveries = mongo.model(deliveryModel);
  const waitingLimit = createWaitingLimit(mongo);

  return {
    async findSources(connector: string): Promise<Source[]> {
      const found = await configs
        .find({ '_configData._sources._connector': connector } as never, { _namespaces: 1, '_configData._sources': 1 })
        .lean<Pick<TelemetryConfig, '_id' | '_namespaces' | '_configData'>[]>();
      return found.flatMap(({ _id, _namespaces, _configData: { _sources = [] } }) =>
        _sources
          .filter((source) => source._connector === connector && typeof source._channel === 'string')
          .flatMap(({ _channel }) => _namespaces.map((namespace) => ({ configId: _id, namespace, channel: _channel }))),
      );
    },

    /** Stores a message for each configuration that still exists. A redelivery of a stored message has no effect. */
    async put({ configIds, content, failure, key, isRepeated }: Delivery): Promise<void> {
      const found = await configs.find({ _id: oneOf(configIds) }, { _namespaces: 1 }).lean();
      const full = await Promise.all(found.map((config) => waitingLimit.isFull(config)));
      await mongo.transaction(async (session) => {
        await touchParents(mongo, configIds, session);
        if (key !== undefined && isRepeated && (await deliveries.exists({ _id: key }).session(session))) return;
        if (key !== undefined)
          await deliveries.updateOne({ _id: key }, { $set: { at: new Date() } }, { session, upsert: true });
        const left = await configs
          .find({ _id: oneOf(configIds) }, { _id: 1 })
          .session(session)
          .lean();
        for (const [index, { _id: configId, _namespaces: namespaces }] of found.entries()) {
          if (!left.some(({ _id }) => _id === configId)) continue;
          const groupId = groupOf(configId);
          const bytes = Buffer.byteLength(content);
          const message = { _id: newArrivalId(session), configId, groupId, content, bytes, createdAt: Date.now() };
          const problem = failure ?? (full[index] && TOO_MANY);
          if (problem) {
            await deadLetters.insertMany([deadLetterOf(message, problem)], { session, lean: true });
            continue;
          }
          await messages.insertMany([{ ...message, namespaces }], { session, lean: true });
          await outbox.put(session, groupMessage, { groupId });
        }
      });
      for (const [index, config] of found.entries()) {
        if (failure ?? full[index]) await dropOldest(config._id);
        else await waitingLimit.add(config, [content]);
      }
    },
  };
}

export type SourceStore = ReturnType<typeof createSourceStore>;
