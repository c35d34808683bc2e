import { z } from 'zod';
import pTimeout from 'p-timeout';
import type { Logger } from '@dtplatform/logging';
import type { ServiceClient } from '@dtplatform/service-client';

/** How long a list counts. A page of an origin that is not in it makes the service load it again, but not more often. */
const MAX_AGE_MS = 5_000;
const LOAD_TIMEOUT_MS = 2_000;

/** All origins that apps authorize. */
export type LoadOrigins = () => Promise<string[]>;

/**
 * Knows the origins that apps authorize. While they cannot be loaded, those that were known still count. Anybody can send an
 * origin, so what it costs is bounded: one load in 5 seconds, however many are asked for.
 */
export function createAppOrigins(load: LoadOrigins, log: Logger): (origin: string) => Promise<boolean> {
  let known = new Set<string>();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function loadOnce(): Promise<void> {
    try {
      known = new Set(await pTimeout(load(), { milliseconds: LOAD_TIMEOUT_MS }));
    } catch (error) {
      log.warn({ err: error }, 'the origins that apps authorize cannot be loaded');
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

/** The origins from passportsvc. */
export const remoteOrigins =
  (passportsvc: () => ServiceClient): LoadOrigins =>
  async () =>
    (await passportsvc().call({ path: '/passportsvc/api/v1/apps/origins' }, OriginsResponse))._list;

/** passportsvc is where the service gets its tokens. */
export const passportsvcUrl = (tokenUrl: string): string => tokenUrl.split('/passportsvc/')[0]!;
