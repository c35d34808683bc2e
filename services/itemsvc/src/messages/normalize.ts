import { z } from 'zod';
import { shownText } from '@dtplatform/contracts';
import { NewReading } from '../readings/reading.js';
import type { TelemetryConfig } from '../telemetryconfigs/telemetry-config.js';
import type { DeadLetterCode } from './message.js';

/** Per message. */
export const MAX_READINGS = 1000;
const MAX_REASON_LENGTH = 1000;

const Readings = z.array(NewReading).max(MAX_READINGS);

/** A message becomes a dead letter with this reason. */
export class CannotIngest extends Error {
  readonly code: DeadLetterCode;

  constructor(code: DeadLetterCode, reason: string, options?: ErrorOptions) {
    super(shownText(reason, MAX_REASON_LENGTH), options);
    this.code = code;
  }
}

/**
 * The `_userItemId` of the collection for a message: that of the first binding whose fields all equal those of the
 * message. Dots in a name denote nested fields.
 */
export function collectionFor({ _configData }: TelemetryConfig, message: unknown): string {
  const binding = _configData._bindings.find(({ query }) =>
    Object.entries(query).every(([path, value]) => valueAt(message, path) === value),
  );
  if (!binding) throw new CannotIngest('NO_BINDING', 'No binding of the configuration matches the message.');
  return binding.collectionDesc._userItemId;
}

function valueAt(message: unknown, path: string): unknown {
  if (isObject(message) && Object.hasOwn(message, path)) return message[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      message,
    );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The readings that a script returned: one, several, or none (null). */
export function readingsIn(returned: unknown): NewReading[] {
  const list = returned === null ? [] : Array.isArray(returned) ? (returned as unknown[]) : [returned];
  if (list.length > MAX_READINGS) {
    throw new CannotIngest('READINGS_NOT_VALID', `The script returned more than ${MAX_READINGS} readings.`);
  }
  const parsed = Readings.safeParse(list);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new CannotIngest('READINGS_NOT_VALID', `${path.join('.')}: ${message}`);
}
