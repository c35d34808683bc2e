/**
 * Calls that tests made, by operation: a service's `examples.json`. Ids, times and secrets are replaced. Messages of
 * websockets are in the same file, by their names.
 */
export type Examples = Record<string, Example>;

export interface Example {
  /** Of the parameters that were sent. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** The JSON body that was sent. */
  body?: unknown;
  reply: {
    status: number;
    /** The JSON body that came back. */
    body?: unknown;
  };
}
