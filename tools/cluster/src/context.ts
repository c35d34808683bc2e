import { SERVICES, type Report } from '@dtplatform/stack';

/** What running a program needs. */
export interface Context {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  report: Report;
}

/** Two tags of the same code, so that an upgrade replaces every pod. */
export const TAGS = { first: 'test-1', second: 'test-2' } as const;

export const SERVICE_NAMES = SERVICES.map(({ name }) => name);

/** Selects the pods of the services. The development backends and the gateway have one replica each and are left alone. */
export const PLATFORM_PODS = `app.kubernetes.io/name in (${SERVICE_NAMES.join(',')}),app.kubernetes.io/component in (api,worker)`;
