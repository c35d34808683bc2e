import { SERVICES, type Report } from '@dtplatform/stack';

/** How a tool runs. */
export interface Context {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  report: Report;
}

/** Two versions of the same code, so that an upgrade is one. */
export const TAGS = { first: 'test-1', second: 'test-2' } as const;

export const SERVICE_NAMES = SERVICES.map(({ name }) => name);

/** Selects the pods of the platform; the development backends and the gateway have one replica each and stay. */
export const PLATFORM_PODS = `app.kubernetes.io/name in (${SERVICE_NAMES.join(',')}),app.kubernetes.io/component in (api,worker)`;
