/** A recorded call, shown as an example in the API reference. */
export interface Example {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  reply: {
    status: number;
    body?: unknown;
  };
}
