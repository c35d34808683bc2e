import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { currentCall } from '@dtplatform/telemetry';
import { withoutSecrets } from './without-secrets.js';

export type { Logger } from 'pino';

/**
 * A logger that writes JSON lines. A line logged during a call carries its `requestId` and `traceId`. Secrets in a log
 * object are redacted.
 * @param options.stream destination of the lines; standard output by default
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

/** A logger that writes nothing, for tests and tools. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
