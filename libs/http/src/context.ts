import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import type { Reply } from './reply.js';

/** What a handler gets: input that was validated, and who asks. */
export interface RequestContext<P = unknown, Q = unknown, B = unknown, R = unknown> {
  params: P;
  query: Q;
  body: B;
  /** What `needs` found and let through. */
  resource: R;
  /** The caller and what it may do. Routes with `auth: 'none'` have no caller: there, reading this throws. */
  access: Access;
  requestId: string;
  /**
   * Refuses a resource whose state is not the one that the request's `If-Match` names. `needs` has that done already; a write
   * does it once more, on what it replaces and as a part of its transaction, since another may have come between.
   * @throws 412
   */
  requireMatch: (current: object) => void;
  /** Aborted when the caller goes away before the answer is complete. */
  signal: AbortSignal;
  log: Logger;
  /** For handlers that stream or read headers; JSON handlers never touch these. */
  req: IncomingMessage;
  res: ServerResponse;
}

interface Input {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  resource?: unknown;
}

/** A handler, by the inputs it takes: `Handler<{ params: IdParams; resource: File }>`. */
export type Handler<I extends Input = Input> = (
  context: RequestContext<I['params'], I['query'], I['body'], I['resource']>,
) => Promise<Reply>;
