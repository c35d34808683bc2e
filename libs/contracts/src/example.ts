/** A call that a test made, as the API reference shows it. */
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
