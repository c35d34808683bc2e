import { isRejection } from '@dtplatform/errors';
import { placeReadings, sourcesIn } from '../readings/place-readings.js';
import type { KnownTelemetryItems, ReadingOwner } from '../readings/place-readings.js';
import type { NewReading, PlacedReading } from '../readings/reading.js';
import type { ReadingStore } from '../readings/readings.store.js';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import type { IngestionStore } from './ingestion.store.js';
import type { Ingested, Message, ScriptResult, Scripts } from './message.js';
import { CannotIngest, collectionFor, readingsIn } from './normalize.js';
import { createSlowScripts } from './slow-scripts.js';
import type { ScriptTurn } from './slow-scripts.js';

const TOO_LARGE = 'READING_TOO_LARGE';
const TELEMETRY_ITEM_MISSING = 'TELEMETRY_ITEM_MISSING';

/** Timeouts after which the rest of the batch is not run. */
const MAX_TIMEOUTS = 3;
const NOT_RUN = 'TIMED_OUT: The script did not process this message: it took too long for others.';

interface Deps {
  ingestionStore: IngestionStore;
  readingStore: Pick<ReadingStore, 'findTelemetryItems'>;
  scripts: Scripts;
}

/** A message on its way through the stages. */
type Step<T> = { message: Message } & ({ value: T } | { failure: CannotIngest });
interface Normalized {
  userItemId: string;
  readings: NewReading[];
}
type Placed = Ingested['stored'][number];
interface Run {
  signal: AbortSignal;
  turn: ScriptTurn;
  timeouts: number;
}

/** Turns messages into readings, one stage at a time for the whole batch: binding, script, telemetry items. */
export function createIngestion(deps: Deps) {
  const { ingestionStore } = deps;
  const slowScripts = createSlowScripts();

  /** Processes the messages, or the first ones if the script runs out of time. */
  async function ingest(config: TelemetryConfig, messages: Message[], run: Run): Promise<void> {
    const bound = messages.map((message) => attempt(message, () => collectionFor(config, JSON.parse(message.content))));
    const normalized = await runScript(deps, config, bound, run);
    const placed: Step<Placed>[] = normalized.filter((step) => 'failure' in step);
    for (const userItemId of collectionsIn(normalized))
      placed.push(...(await place(deps, userItemId, config, normalized)));
    // In arrival order.
    placed.sort((one, other) => (one.message._id < other.message._id ? -1 : 1));
    try {
      await commit(ingestionStore, placed);
    } catch (error) {
      // A telemetry item was deleted concurrently. The next attempt does not find it and dead-letters its messages.
      if (isRejection(error) && error.code === TELEMETRY_ITEM_MISSING) return ingest(config, messagesOf(placed), run);
      throw error;
    }
  }

  return {
    /**
     * Stores the readings of a group of messages; failing messages become dead letters. A retry continues with the
     * messages that are left.
     * @returns the delay in ms before the rest may run, since other configurations wait for a slow script; undefined
     * when done
     */
    async run(groupId: string, signal: AbortSignal): Promise<number | undefined> {
      const configId = await ingestionStore.findConfigId(groupId);
      if (configId === undefined) return undefined;
      const turn = slowScripts.begin(configId);
      const run = { signal, turn, timeouts: 0 };
      try {
        for (;;) {
          const messages = await ingestionStore.nextMessages(groupId);
          if (messages.length === 0) return undefined;
          signal.throwIfAborted();
          const config = await ingestionStore.findConfig(configId);
          // The configuration was deleted together with its messages.
          if (!config) return undefined;
          await ingest(config, messages, run);
          const waitMs = turn.waitMs();
          if (waitMs !== undefined) return waitMs;
        }
      } finally {
        turn.end();
      }
    },

    /** The delay in ms before a group may run; undefined if it may run now. */
    async waitMs(groupId: string): Promise<number | undefined> {
      const configId = await ingestionStore.findConfigId(groupId);
      return configId === undefined ? undefined : slowScripts.waitMs(configId);
    },
  };
}

export type Ingestion = ReturnType<typeof createIngestion>;

/** Runs the script on the bound messages, or on the first ones if it runs out of time. */
async function runScript(
  { ingestionStore, scripts }: Deps,
  config: TelemetryConfig,
  steps: Step<string>[],
  run: Run,
): Promise<Step<Normalized>[]> {
  const bound = steps.flatMap((step) => ('value' in step ? [step] : []));
  const unbound = steps.flatMap((step) => ('failure' in step ? [step] : []));
  if (bound.length === 0) return unbound;
  const { _userType } = config._configData._normalizationScript;
  const text = await ingestionStore.findScript(_userType, config._namespaces);
  if (text === undefined) {
    const failure = new CannotIngest(
      'SCRIPT_MISSING',
      'The configuration refers to a script type that does not exist.',
    );
    return [...unbound, ...bound.map(({ message }) => ({ message, failure }))];
  }
  const contents = bound.map(({ message }) => message.content);
  const { results, tookMs } = await scripts.normalize(config._id, text, contents, run.signal);
  run.turn.took(tookMs);
  run.timeouts += results.filter((result) => 'failure' in result && result.isTimeout).length;
  const normalized = results.map((result, index) => {
    const { message, value: userItemId } = bound[index]!;
    return attempt(message, () => ({ userItemId, readings: readingsOf(result) }));
  });
  return [...unbound, ...normalized, ...notRun(bound.slice(results.length), run)];
}

/** Dead-letters the rest of a batch whose script has timed out too often. */
function notRun(left: Step<string>[], run: Run): Step<Normalized>[] {
  if (run.timeouts < MAX_TIMEOUTS) return [];
  run.timeouts = 0;
  return left.map(({ message }) => ({ message, failure: new CannotIngest('SCRIPT_FAILED', NOT_RUN) }));
}

function readingsOf(result: ScriptResult): NewReading[] {
  if ('failure' in result) throw new CannotIngest('SCRIPT_FAILED', result.failure);
  return readingsIn(result.value);
}

const collectionsIn = (steps: Step<Normalized>[]) =>
  new Set(steps.flatMap((step) => ('value' in step ? [step.value.userItemId] : [])));

async function place(
  { ingestionStore, readingStore }: Deps,
  userItemId: string,
  config: TelemetryConfig,
  steps: Step<Normalized>[],
): Promise<Step<Placed>[]> {
  const own = steps.flatMap(({ message, ...step }) =>
    'value' in step && step.value.userItemId === userItemId ? [{ message, readings: step.value.readings }] : [],
  );
  const item = await ingestionStore.findCollection(userItemId, config._namespaces);
  if (!item) {
    const failure = new CannotIngest(
      'COLLECTION_MISSING',
      'The telemetry collection does not exist in the namespaces.',
    );
    return own.map(({ message }) => ({ message, failure }));
  }
  const owner: ReadingOwner = { item, version: item._tip };
  const wanted = sourcesIn(own.flatMap(({ readings }) => readings));
  const known = await readingStore.findTelemetryItems(owner, wanted);
  return own.map(({ message, readings }) => attempt(message, () => ({ owner, readings: placeOne(readings, known) })));
}

/** @throws CannotIngest if a reading names no known telemetry item */
function placeOne(readings: NewReading[], known: KnownTelemetryItems): PlacedReading[] {
  try {
    return placeReadings(readings, known);
  } catch (error) {
    if (!isRejection(error)) throw error;
    throw new CannotIngest(TELEMETRY_ITEM_MISSING, error.message);
  }
}

/** Runs a stage on a message. A `CannotIngest` becomes its failure. */
function attempt<T>(message: Message, work: () => T): Step<T> {
  try {
    return { message, value: work() };
  } catch (error) {
    if (!(error instanceof CannotIngest)) throw error;
    return { message, failure: error };
  }
}

/**
 * Stores the results. After a permanent failure, it splits the batch in halves until the failing message is alone,
 * which becomes a dead letter.
 */
async function commit(store: IngestionStore, steps: Step<Placed>[]): Promise<void> {
  try {
    await store.commit(ingestedOf(steps));
  } catch (error) {
    const failure = lastingFailure(error);
    if (!failure) throw error;
    const [one, other] = steps;
    if (!other) return store.commit(ingestedOf([{ message: one!.message, failure }]));
    const middle = Math.ceil(steps.length / 2);
    await commit(store, steps.slice(0, middle));
    await commit(store, steps.slice(middle));
  }
}

/** The reason of a permanent failure; undefined if a retry may succeed. */
function lastingFailure(error: unknown): CannotIngest | undefined {
  if (error instanceof CannotIngest) return error;
  return isRejection(error) && error.code === TOO_LARGE
    ? new CannotIngest('READINGS_TOO_LARGE', error.message)
    : undefined;
}

/** Groups readings by collection. */
function ingestedOf(steps: Step<Placed>[]): Ingested {
  const stored = new Map<ReadingOwner, PlacedReading[]>();
  for (const step of steps) {
    if ('failure' in step || step.value.readings.length === 0) continue;
    const { owner, readings } = step.value;
    const all = stored.get(owner) ?? [];
    all.push(...readings);
    stored.set(owner, all);
  }
  return {
    messages: messagesOf(steps),
    stored: [...stored].map(([owner, readings]) => ({ owner, readings })),
    deadLetters: steps.flatMap((step) =>
      'failure' in step ? [{ message: step.message, code: step.failure.code, reason: step.failure.message }] : [],
    ),
  };
}

const messagesOf = (steps: Step<unknown>[]) => steps.map(({ message }) => message);
