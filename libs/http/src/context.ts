import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Precondition } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import type { Reply } from './reply.js';

/** What a handler gets: the validated input, and the caller. */
export interface RequestContext<P = unknown, Q = unknown, B = unknown, R = unknown> {
  params: P;
  query: Q;
  body: B;
  /** Length of the body that was read. */
  bodyBytes: number;
  /** Of a body that the handler has read, for `digestBody` of the route. */
  bodyDigest?: string;
  /** What `needs` found and permitted. */
  resource: R;
  /** The caller and what it may do. Routes with `auth: 'none'` have no caller: there, reading this throws. */
  access: Access;
  requestId: string;
  /** The revisions on which a write may happen, from `If-Match`. Stores make it part of the write; it fails with a 412. */
  precondition: Precondition;
  /** Aborted when the caller disconnects before the answer is complete. */
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

/** A handler, by the inputs it takes and what it answers with: `Handler<{ params: IdParams; resource: File }, File>`. */
export type Handler<I extends Input = Input, E = unknown> = (
  context: RequestContext<I['params'], I['query'], I['body'], I['resource']>,
) => Promise<Reply<E>>;
