import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { currentCall } from '@dtplatform/telemetry';

export type { Logger } from 'pino';

/**
 * A logger that writes JSON lines. Lines logged during a call have its `requestId` and `traceId`. Secrets in log
 * objects are redacted.
 * @param options.stream defaults to standard output
 */
export function createLogger(options: { service: string; level: string; stream?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    mixin: idsOfCall,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      // Pino's own redaction costs more than the rest of the line.
      log: (entry: object) => withoutSecrets(entry) as Record<string, unknown>,
    },
    serializers: { err: serializeError },
  };
  return options.stream ? pino(settings, options.stream) : pino(settings);
}

function idsOfCall(): object {
  const call = currentCall();
  return call ? { requestId: call.requestId, traceId: call.traceId } : {};
}

const serializeError = (error: unknown) =>
  error instanceof Error ? withoutSecrets({ ...pino.stdSerializers.err(error) }) : error;

/** A logger that discards everything, for tests and tools. */
export const silentLogger = (): Logger => pino({ level: 'silent' });

/** Names of secret fields, in lower case. */
const SECRET_NAMES = new Set([
  'password',
  'secret',
  '_secret',
  'clientsecret',
  'client_secret',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'authorization',
  'cookie',
  'set-cookie',
  'code_verifier',
]);
const MAX_DEPTH = 5;

/**
 * Redacts secrets in plain objects and arrays. Copies only what it changes, because every request logs a line and few
 * contain secrets.
 */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return changed(value, depth) ?? value;
  return isPlainObject(value) ? (changed(value, depth) ?? value) : value;
}

function changed(container: Record<string, unknown> | unknown[], depth: number): unknown {
  let copy: Record<string, unknown> | undefined;
  const entries = container as Record<string, unknown>;
  for (const name in entries) {
    const before = entries[name];
    const after = SECRET_NAMES.has(name.toLowerCase()) ? '[Redacted]' : withoutSecrets(before, depth + 1);
    if (after === before) continue;
    copy ??= (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
    copy[name] = after;
  }
  return copy;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
