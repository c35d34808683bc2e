import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { showLoad } from '../../domain/filestore/load.js';
import type { FileStreams } from '../../domain/stream/file-streams.js';
import type { OpenFileSet } from '../../domain/stream/stream-rights.js';
import { keepConnection } from './keep-connection.js';
import { handleInTurn } from './message-queue.js';
import { parseMessage } from './parse-message.js';
import { createSocketWriter } from './socket-writer.js';
import { createStreamReads } from './stream-reads.js';
import type { ClientMessage, ServerMessage } from './stream.messages.js';

/** How long reads continue when the process stops. */
const DRAIN_MS = 3_000;
/** Why the server closes a connection (RFC 6455, section 7.4). */
const CLOSE = { stopping: 1001, notText: 1003, unauthorized: 4401, tooSlow: 4408 } as const;

interface Deps {
  socket: WebSocket;
  id: string;
  access: Access;
  streams: FileStreams;
  /** Opens the access of the connection's token again. @throws 401 when it no longer counts */
  openAccess: () => Promise<Access>;
  /** What an error means to the client. */
  toError: (error: unknown) => AppError;
  onFailure: (error: AppError) => void;
  onBytes: (bytes: number) => void;
  /** How a request ended: `opened`, `end`, or the code of an error. */
  onReply: (outcome: string) => void;
  /** Called when the client has not accepted in time what it asked for. */
  onSlow: () => void;
  limits: StreamLimits;
}

/** In milliseconds. */
export interface StreamLimits {
  pingEveryMs: number;
  /** How long a client may take to accept one frame, and one segment. */
  stallMs: number;
  segmentMs: number;
}

export interface StreamConnection {
  /** Lets reads continue for a moment, begins no new ones, and closes. */
  close(): Promise<void>;
}

/** Serves one connection until it is closed (docs/contract.md, "Streaming"). */
export function serveConnection(deps: Deps): StreamConnection {
  const { socket, id, access, streams, openAccess, toError, limits } = deps;
  const writer = createSocketWriter(socket, { ...limits, onStall: deps.onSlow });
  let opened: OpenFileSet | undefined;
  let isStopping = false;

  function reply(message: ServerMessage): Promise<void> {
    if (message.type !== 'header') deps.onReply(message.type === 'error' ? message.code : message.type);
    return writer.send(JSON.stringify(message));
  }

  async function fail(error: unknown, requestId?: number): Promise<void> {
    if (socket.readyState !== socket.OPEN) return;
    const mapped = toError(error);
    deps.onFailure(mapped);
    if (mapped.status === 401) return void socket.close(CLOSE.unauthorized, mapped.message);
    const { status, code, message, details } = mapped;
    // A client that has left needs no reply.
    await reply({ type: 'error', requestId, status, code, message, errors: details }).catch(() => undefined);
  }

  let sentBytes = 0;
  const onBytes = (bytes: number) => {
    sentBytes += bytes;
    deps.onBytes(bytes);
  };
  function onSlow(): void {
    deps.onSlow();
    socket.close(CLOSE.tooSlow, 'The client reads too slowly.');
    // Their memory is free again, whenever the client notices.
    reads.abort(commonErrors.callerDisconnected());
  }
  const reads = createStreamReads({ ...deps, ...limits, onBytes, onSlow, connection: id, writer, reply, fail });

  async function open({ requestId, fileSetId, nsfilter }: Extract<ClientMessage, { type: 'open' }>): Promise<void> {
    const { files, ...set } = await streams.open(fileSetId, nsfilter, await openAccess());
    opened = set;
    const { _id, _name } = set.fileSet;
    const states = files.map(({ _fileId, load }) =>
      load ? showLoad(load) : { _fileId, _status: 'NOT_REQUESTED' as const },
    );
    await reply({ type: 'opened', requestId, fileSet: { _id, _name }, files: states });
  }

  async function handle(message: ClientMessage): Promise<void> {
    if (message.type === 'cancel') return void reads.cancel(message.requestId);
    if (isStopping) throw commonErrors.unavailable();
    if (message.type === 'open') return open(message);
    reads.start(message, opened);
  }

  async function checkRights(): Promise<void> {
    try {
      await reads.checkRights(await openAccess());
    } catch (error) {
      if (toError(error).status === 401) await fail(error);
      else reads.abort(error);
    }
  }

  handleInTurn(socket, async (text) => {
    if (text === undefined) return void socket.close(CLOSE.notText, 'Messages must be text.');
    const { requestId, message, error } = parseMessage(text);
    if (error) return fail(error, requestId);
    await handle(message).catch((thrown: unknown) => fail(thrown, requestId));
  });
  keepConnection(socket, {
    ...limits,
    expiresAtSec: access.principal.expiresAtSec,
    onExpiry: () => socket.close(CLOSE.unauthorized, 'The access token has expired.'),
    isBusy: () => reads.size > 0,
    sentBytes: () => sentBytes,
    checkRights,
  });
  // What ws reports here ends the connection, with the right close code.
  socket.on('error', () => undefined);
  socket.on('close', () => reads.abort(commonErrors.callerDisconnected()));

  return {
    async close() {
      isStopping = true;
      const drained = new AbortController();
      const { signal } = drained;
      await Promise.race([reads.settle(), delay(DRAIN_MS, undefined, { signal }).catch(() => undefined)]);
      drained.abort();
      socket.close(CLOSE.stopping, 'The server is stopping.');
    },
  };
}
