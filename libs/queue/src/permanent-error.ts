/** Thrown by a handler: trying again soon would not help. The message is tried again as rarely as one that always fails. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}
