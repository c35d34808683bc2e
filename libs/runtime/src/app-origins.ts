import { z } from 'zod';
import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';
import type { ServiceClient } from '@dtplatform/service-client';

/** How long a list is valid. Also the minimum interval between loads for unknown origins. */
const MAX_AGE_MS = 5_000;
const LOAD_TIMEOUT_MS = 2_000;

/** All origins that apps authorize. */
export type LoadOrigins = () => Promise<string[]>;

/**
 * Checks origins against those that apps authorize. If loading fails, the last known list stays valid. Anybody can send
 * any origin, so loads are bounded: one in 5 seconds.
 */
export function createAppOrigins(load: LoadOrigins, log: Logger): (origin: string) => Promise<boolean> {
  let known = new Set<string>();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function loadOnce(): Promise<void> {
    try {
      known = new Set(await pTimeout(load(), { milliseconds: LOAD_TIMEOUT_MS }));
    } catch (error) {
      log.warn({ err: error }, 'the origins authorized by apps could not be loaded');
    }
    loadedAt = performance.now();
    loading = undefined;
  }

  return async (origin) => {
    const isStale = performance.now() - loadedAt > MAX_AGE_MS;
    if (isStale) loading ??= loadOnce();
    if (!known.has(origin)) await loading;
    return known.has(origin);
  };
}

const OriginsResponse = z.object({ _list: z.array(z.string()) });

export const remoteOrigins =
  (passportsvc: () => ServiceClient): LoadOrigins =>
  async () =>
    (await passportsvc().call({ path: '/passportsvc/api/v1/apps/origins' }, OriginsResponse))._list;

/** passportsvc issues the service's tokens, so its URL is in `tokenUrl`. */
export const passportsvcUrl = (tokenUrl: string): string => tokenUrl.split('/passportsvc/')[0]!;
