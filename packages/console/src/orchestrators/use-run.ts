import { watchRun } from '@dtplatform/sdk';
import type { Run } from '@dtplatform/sdk';
import { useEffect, useState } from 'react';
import { client, useCall, useNamespace } from '../frame';

export const hasEnded = ({ _status }: Run) => ['COMPLETED', 'ERROR', 'CANCELLED'].includes(_status);

const POLL_MS = 3000;

/** A run with all its changes, as they happen. */
export function useRun(id: string) {
  const namespace = useNamespace()!;
  const [live, setLive] = useState<Run>();
  const [isBroken, setBroken] = useState(false);
  // Polling finds retries by others, and replaces the stream if there are too many of them.
  const refreshMs = isBroken ? POLL_MS : undefined;
  const answer = useCall('datasourcesvc.runs.get', { path: { id } }, { refreshMs });
  const read = answer.data?.[0];
  const isWatching = read !== undefined && !hasEnded(read);
  useEffect(() => {
    if (!isWatching) return undefined;
    const leaving = new AbortController();
    async function watch(): Promise<void> {
      for await (const run of watchRun(client.in(namespace), id, { signal: leaving.signal })) setLive(run);
    }
    watch().catch(() => setBroken(!leaving.signal.aborted));
    return () => leaving.abort();
  }, [id, namespace, isWatching, read?._attempts]);
  const isNewer = live?.id === id && Number(live._updatedat) >= Number(read?._updatedat ?? 0);
  return { run: isNewer ? live : read, parameters: read?.orchrunsteps, read: answer };
}
