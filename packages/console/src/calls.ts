import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Input, OperationId, Output } from '@dtplatform/sdk';
import { createContext, useContext } from 'react';
import { client } from './session';

/** A call of the platform: the key of its result in the cache, and what "Show as code" prints. */
export type Call<O extends OperationId = OperationId> = readonly [
  namespace: string | null,
  operation: O,
  input: object,
];

/** The namespace of the calls of a page, which the workspace provides. */
export const NamespaceContext = createContext<string | null>(null);
export const useNamespace = () => useContext(NamespaceContext);

const REFRESH_MS = 15_000;
/** For how long parts of a page share what one of them has read. */
const FRESH_MS = 5000;

interface CallSettings {
  isEnabled?: boolean;
  /** Interval of refreshing while the tab is visible; `false` for results that never change. */
  refreshMs?: number | false;
}

/** The options of a query that calls an operation. Errors are those of the SDK. */
export function callOptions<O extends OperationId>(...call: Call<O>) {
  return {
    queryKey: call,
    queryFn: ({ signal }: { signal: AbortSignal }) => send(call, signal),
    refetchInterval: REFRESH_MS as number | false,
    staleTime: FRESH_MS,
  };
}

/** Calls an operation in the namespace of the page, and keeps the result up to date. */
export function useCall<O extends OperationId>(
  operation: O,
  input: Input<O>,
  { isEnabled = true, refreshMs = REFRESH_MS }: CallSettings = {},
) {
  const options = callOptions(useNamespace(), operation, input);
  const staleTime = refreshMs === false ? Infinity : FRESH_MS;
  return useQuery({ ...options, enabled: isEnabled, refetchInterval: refreshMs, staleTime });
}

/** Calls an operation that changes something, and then reads again what the page shows. */
export function useChange<O extends OperationId>(operation: O) {
  const namespace = useNamespace();
  const queries = useQueryClient();
  return useMutation({
    mutationKey: [namespace, operation],
    mutationFn: (input: Input<O>) => send([namespace, operation, input]),
    // Not waited for: a dialog closes before the page shows the change.
    onSettled: () => void queries.invalidateQueries(),
  });
}

/** Calls an operation for each of several inputs, and then reads again what the page shows. */
export function useChanges<O extends OperationId>(operation: O) {
  const namespace = useNamespace();
  const queries = useQueryClient();
  return async (inputs: Input<O>[]) => {
    try {
      for (const input of inputs) await send([namespace, operation, input]);
    } finally {
      void queries.invalidateQueries();
    }
  };
}

function send<O extends OperationId>([namespace, operation, input]: Call<O>, signal?: AbortSignal) {
  const caller = namespace === null ? client : client.in(namespace);
  return caller.call(operation, ...([{ ...input, signal }] as unknown as never)) as Promise<Output<O>>;
}
