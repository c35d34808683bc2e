import { createLogger } from '@dtplatform/logging';
import type { Logger } from '@dtplatform/logging';
import { startTelemetry } from '@dtplatform/telemetry';
import { createLifecycle } from './lifecycle.js';
import type { Lifecycle } from './lifecycle.js';

interface ProcessConfig {
  LOG_LEVEL: string;
  SHUTDOWN_GRACE_MS: number;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
}

/**
 * The main function of every process: reads the configuration, starts, and shuts down in order on SIGTERM or SIGINT.
 * With an invalid configuration or a failed start, it exits with code 1 and one clear message.
 */
export async function runProcess<C extends ProcessConfig>(
  name: string,
  readConfig: () => C,
  start: (config: C, context: { processName: string; log: Logger; lifecycle: Lifecycle }) => Promise<void>,
): Promise<void> {
  const config = configOrExit(name, readConfig);
  const log = createLogger({ service: name, level: config.LOG_LEVEL });
  const lifecycle = createLifecycle({ log, graceMs: config.SHUTDOWN_GRACE_MS });

  let exitCode = 0;
  const end = (reason: string, code: number) => {
    // If a signal interrupts the start and the start then fails, the exit code is 1, not 0.
    exitCode ||= code;
    void lifecycle.stop(reason).finally(() => {
      // When nothing is left to do. Node.js 24 would exit with 13 if the start, a top-level await, has not ended.
      process.once('beforeExit', () => process.exit(exitCode));
      // Handles left open by a library must not keep the process alive.
      setTimeout(() => process.exit(exitCode), 500).unref();
    });
  };
  process.once('SIGTERM', () => end('SIGTERM', 0));
  process.once('SIGINT', () => end('SIGINT', 0));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    end('uncaught exception', 1);
  });

  try {
    await startTelemetry({ service: name, config, lifecycle, log });
    await start(config, { processName: name, log, lifecycle });
  } catch (error) {
    log.fatal({ err: error }, 'startup failed');
    end('startup failed', 1);
  }
}

function configOrExit<C>(name: string, readConfig: () => C): C {
  try {
    return readConfig();
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
