import { pino } from 'pino';
import type { Logger } from 'pino';

export type { Logger } from 'pino';

const SECRET_PATHS = [
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  '_secret',
  'clientSecret',
  'code_verifier',
];

/** A logger of JSON lines on standard output. Secrets that slip into a log object are redacted. */
export function createLogger(options: { service: string; level: string }): Logger {
  return pino({
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: SECRET_PATHS.flatMap((path) => [path, `*.${path}`]),
  });
}

/** A logger that writes nothing, for tests and tools. */
export const silentLogger = (): Logger => pino({ level: 'silent' });
