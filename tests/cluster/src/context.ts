import { SERVICES, type Report } from '@dtplatform/stack';

/** The context of programs to run. */
export interface Context {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  report: Report;
}

/** Two tags of the same code, so that an upgrade replaces every pod. */
export const TAGS = { first: 'test-1', second: 'test-2' } as const;

export const SERVICE_NAMES = SERVICES.map(({ name }) => name);

/** An image with Node.js, which the cluster has. */
export const nodeImage = ({ registry }: { registry: string }) => `${registry}/dtplatform/passportsvc:${TAGS.first}`;

/** Selects the services' pods, without the development backends and the gateway, which have one replica each. */
export const PLATFORM_PODS = `app.kubernetes.io/name in (${SERVICE_NAMES.join(',')}),app.kubernetes.io/component in (api,worker)`;
