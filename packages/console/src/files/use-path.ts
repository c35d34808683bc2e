import { useQueries, useQueryClient } from '@tanstack/react-query';
import { callOptions, useNamespace, useRights } from '../frame';
import type { Action } from '../access/use-rights';
import type { Entry } from './entry';

const MAX_DEPTH = 100;

/** A folder below those that contain it, from the root on, as far as the user may see them. */
export function usePath(folder: string | undefined): Entry[] {
  const namespace = useNamespace();
  const cache = useQueryClient();
  const optionsOf = (id: string) => ({
    ...callOptions(namespace, 'filesvc.files.get', { path: { id } }),
    refetchInterval: false as const,
  });
  const ids: string[] = [];
  for (let id = folder; id !== undefined && id !== '' && ids.length < MAX_DEPTH;) {
    ids.push(id);
    // Each answer makes the page render again, which follows it one folder up.
    id = cache.getQueryData<Entry>(optionsOf(id).queryKey)?._parents[0];
  }
  const results = useQueries({ queries: ids.map(optionsOf) });
  return results.flatMap(({ data }) => data ?? []).reverse();
}

/** Whether the user may do something with a file or folder. A permission may name any folder above it. */
export function useFileRights(id: string, actions: Action[]): boolean[] {
  const ids = ['*', ...usePath(id).map(({ _id }) => _id)];
  return useRights(
    ids.map((each) => `filesvc:file:${each}`),
    actions,
  );
}
