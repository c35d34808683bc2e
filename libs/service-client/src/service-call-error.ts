/** Another service refused a call with a 4xx. The caller decides what that means for its own caller. */
export class ServiceCallError extends Error {
  /** HTTP status, 400 or above. */
  readonly status: number;
  /** The `code` in the platform's error body, if any. */
  readonly code: string | undefined;
  /** The body as it came, or its beginning. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(`another service answered ${status}`);
    this.name = 'ServiceCallError';
    this.status = status;
    this.code = codeOf(body);
    this.body = body;
  }
}

function codeOf(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
