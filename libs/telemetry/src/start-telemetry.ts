import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Limits how long an unreachable collector delays the shutdown. */
const SHUTDOWN_TIMEOUT_MS = 3_000;

export interface TelemetryOptions {
  /** `service.name`, unless `OTEL_SERVICE_NAME` is set. */
  service: string;
  /** `service.version`. Defaults to that of the program's package. */
  version?: string;
  config: { OTEL_EXPORTER_OTLP_ENDPOINT?: string };
  lifecycle: { onStop(name: string, stop: () => unknown): void };
  log: { warn(fields: object, message: string): void };
}

/**
 * Sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT`. Without it, nothing starts and the SDK is not loaded. The SDK reads
 * all other settings from the environment.
 */
export async function startTelemetry({ service, version, config, lifecycle, log }: TelemetryOptions): Promise<void> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return;
  const { core, NodeSDK, resources } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    // Values from the environment take precedence (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES).
    resource: resources.resourceFromAttributes({
      'service.name': service,
      'service.version': version ?? versionOf(process.argv[1]),
    }),
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    textMapPropagator: null,
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  core.setGlobalErrorHandler((err) => log.warn({ err }, 'traces could not be sent'));
  lifecycle.onStop('telemetry', () => Promise.race([sdk.shutdown(), timeout(SHUTDOWN_TIMEOUT_MS)]));
}

/** The version in the package.json above the folder of a program, such as `dist/main.js`. */
function versionOf(program = ''): string | undefined {
  try {
    const manifest = readFileSync(path.join(path.dirname(program), '..', 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version?: string }).version;
  } catch {
    return undefined;
  }
}

const timeout = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
