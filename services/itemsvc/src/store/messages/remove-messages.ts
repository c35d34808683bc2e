import { lockParent } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { deadLetterModel, messageModel } from './message.model.js';

/** Removes the messages and dead letters of a configuration, in the transaction that removes it. */
export async function removeMessages(mongo: Mongo, configId: string, session: ClientSession): Promise<void> {
  await lockParent(mongo, configId, session);
  await mongo.model(messageModel).deleteMany({ configId }, { session });
  await mongo.model(deadLetterModel).deleteMany({ configId }, { session });
}
