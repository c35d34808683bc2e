import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { componentCall, componentQueue } from '@dtplatform/contracts';
import type { ComponentRegistration } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import { defineCatalogue, startWorker } from '@dtplatform/queue';
import type { WorkerHandle } from '@dtplatform/queue';
import { clientCredentials, createServiceClient, ServiceCallError, tokenExchange } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { ServedComponent } from './served-component.js';
import { workOnCall } from './work-on-call.js';

const REGISTER_AGAIN_AFTER_MS = 2_000;

export interface ServeOptions {
  datasourcesvcUrl: string;
  /** The token endpoint, and the credentials of a trusted client. */
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  redisUrl: string;
  log: Logger;
  /** Concurrent steps in this process. Default 4. */
  concurrency?: number;
  queuePrefix?: string;
}

/**
 * Registers a component with datasourcesvc and works on its steps until it is stopped. Several processes may serve the
 * same component. Waits for datasourcesvc and Redis without a limit.
 * @returns the worker of its queue; its `stop` returns steps that have not ended in time
 */
export async function serveComponent<P>(component: ServedComponent<P>, options: ServeOptions): Promise<WorkerHandle> {
  const { log, redisUrl, concurrency, queuePrefix } = options;
  const client = { tokenUrl: options.tokenUrl, clientId: options.clientId, clientSecret: options.clientSecret };
  const datasourcesvc = createServiceClient({ baseUrl: options.datasourcesvcUrl, token: clientCredentials(client) });
  await register(component, datasourcesvc, log);

  const tools = { component, datasourcesvc, actAs: tokenExchange(client), log };
  const worker = await startWorker({
    catalogue: defineCatalogue(componentQueue(component.name), { [componentCall.name]: componentCall.payload }),
    handlers: { [componentCall.name]: ({ callId }, { signal }) => workOnCall(callId, signal, tools) },
    redisUrl,
    log,
    concurrency,
    queuePrefix,
  });
  return {
    ...worker,
    async stop(graceMs) {
      await worker.stop(graceMs);
      await datasourcesvc.close();
    },
  };
}

/** @throws ServiceCallError when datasourcesvc rejects the component */
async function register<P>(component: ServedComponent<P>, datasourcesvc: ServiceClient, log: Logger): Promise<void> {
  const { name, description, mayRunAgain, params } = component;
  const parameters = z.toJSONSchema(params, { io: 'input' }) as ComponentRegistration['parameters'];
  const body: ComponentRegistration = { description, mayRunAgain, parameters };
  const path = `/datasourcesvc/api/v1/components/${name}`;
  for (;;) {
    try {
      await datasourcesvc.call({ method: 'PUT', path, body }, z.unknown());
      return;
    } catch (error) {
      if (error instanceof ServiceCallError) throw error;
      log.warn({ err: error, component: name }, 'could not register a component');
      await delay(REGISTER_AGAIN_AFTER_MS);
    }
  }
}
