import { isDuplicateKey, noneOf, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Tasks } from '@dtplatform/queue';
import type { TelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';
import { errors } from '../../errors.js';
import { takenNameModel } from './taken-name.model.js';
import { telemetryConfigModel } from './telemetry-config.model.js';

const MAX_ATTEMPTS = 3;

/** The ids of the `TakenName`s that a configuration needs. */
export const namesOf = ({ _namespaces, _shortName }: Pick<TelemetryConfig, '_namespaces' | '_shortName'>): string[] =>
  _namespaces.map((namespace) => `${namespace}/${_shortName}`);

/** Short names that configurations have, and those that accepted writes reserve. */
export function createConfigNames(mongo: Mongo, tasks: Tasks) {
  const takenNames = mongo.model(takenNameModel);
  const telemetryConfigs = mongo.model(telemetryConfigModel);

  /** Frees names that failed creations still reserve. False when another configuration has, or will have, one of the names. */
  async function releaseDead(names: string[], configId: string): Promise<boolean> {
    const found = await takenNames.find({ _id: oneOf(names) }).lean();
    const foreign = found.filter((name) => name.configId !== configId);
    const holders = await tasks.getMany(foreign.map(({ taskId }) => taskId));
    if (!holders.every((task) => task?._status === 'ERROR')) return false;
    // A task that failed to change a configuration may have reserved the name, which the configuration has by now.
    if (await telemetryConfigs.exists({ _id: oneOf(foreign.map((name) => name.configId)) })) return false;
    for (const { _id, taskId } of foreign) await takenNames.deleteOne({ _id, taskId });
    return true;
  }

  return {
    /**
     * Runs a transaction that reserves names, again when a name was freed or another transaction was faster.
     * @throws 400 when one of the names is taken
     */
    async whileReserving<T>(names: string[], configId: string, transaction: () => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transaction();
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          const isFree = await releaseDead(names, configId);
          if (!isFree || attempt === MAX_ATTEMPTS) throw errors.shortNameTaken({ cause: error });
        }
      }
    },

    /** Reserves the names that the configuration does not have yet. @throws a duplicate key */
    async reserve(
      names: string[],
      holder: { configId: string; taskId: string },
      session: ClientSession,
    ): Promise<void> {
      const { configId } = holder;
      const own = await takenNames
        .find({ _id: oneOf(names), configId }, { _id: 1 })
        .session(session)
        .lean();
      const missing = names.filter((name) => !own.some(({ _id }) => _id === name));
      await takenNames.insertMany(
        missing.map((_id) => ({ _id, ...holder })),
        { session },
      );
    },

    /** Frees the names of a configuration, except those that it still needs. */
    async keepOnly(needed: string[], configId: string, session: ClientSession): Promise<void> {
      await takenNames.deleteMany({ configId, _id: noneOf(needed) }, { session });
    },
  };
}
