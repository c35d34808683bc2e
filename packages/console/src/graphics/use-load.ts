import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@dtplatform/sdk';
import { callOptions, useNamespace } from '../frame';

type Load = Schemas['Load'];

const PENDING: Load['_status'][] = ['QUEUED', 'LOADING'];
const POLL_MS = 1500;

/** The load of a file, which is followed while it is in progress; undefined if it was never loaded. */
export function useLoad(fileId: string): Load | undefined {
  const options = callOptions(useNamespace(), 'graphicssvc.filestore.get', { path: { fileId } });
  return useQuery({
    ...options,
    refetchInterval: ({ state: { data } }) => (data && PENDING.includes(data._status) ? POLL_MS : false),
  }).data;
}
