/** The message of an error, with the reason that `fetch` hides in its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message || (cause as { code?: string }).code : undefined;
  return reason && !error.message.includes(reason) ? `${error.message} (${reason})` : error.message;
}
