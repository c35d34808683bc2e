import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { showLoad } from '../filestore/load.js';
import type { FileStreams } from './file-streams.js';
import { parseMessage } from './messages.http.js';
import type { ClientMessage, ServerMessage } from './messages.http.js';
import { createSocketWriter } from './socket-writer.http.js';
import { createStreamReads } from './stream-reads.http.js';
import type { OpenFileSet } from './stream-rights.js';

/** How soon a revocation takes effect while files are sent. */
const CHECK_RIGHTS_EVERY_MS = 1_000;
/** A slow client receives a ping only after everything that was buffered before it. */
const MAX_UNANSWERED_PINGS = 3;
/** Pings and pongs to a client that does not read must not fill the memory. */
const MAX_BUFFERED_BYTES = 256 * 1024;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Options {
  pingEveryMs: number;
  /** Seconds since 1970. */
  expiresAtSec: number;
  onExpiry: () => void;
  isBusy: () => boolean;
  /** Bytes of files that the peer has accepted. */
  sentBytes: () => number;
  /** Never rejects. */
  checkRights: () => Promise<void>;
}

/** Terminates a connection whose client is gone, and checks its permissions regularly, more often while it is busy. */
function keepConnection(socket: WebSocket, options: Options): void {
  const { pingEveryMs, expiresAtSec, onExpiry, isBusy, sentBytes, checkRights } = options;
  let unanswered = 0;
  let sentBefore = 0;
  let isChecking = false;
  const mayBuffer = () => socket.bufferedAmount < MAX_BUFFERED_BYTES;
  const check = () => {
    if (isChecking) return;
    isChecking = true;
    void checkRights().finally(() => (isChecking = false));
  };
  const rights = setInterval(() => {
    if (isBusy()) check();
  }, CHECK_RIGHTS_EVERY_MS);
  const heartbeat = setInterval(() => {
    if (sentBytes() > sentBefore || socket.isPaused) unanswered = 0;
    sentBefore = sentBytes();
    if (unanswered >= MAX_UNANSWERED_PINGS) return void socket.terminate();
    unanswered += 1;
    if (mayBuffer()) socket.ping();
    check();
  }, pingEveryMs);
  const expiry = setTimeout(onExpiry, Math.min(expiresAtSec * 1000 - Date.now(), LONGEST_TIMER_MS));

  socket.on('ping', (data) => {
    if (mayBuffer()) socket.pong(data);
  });
  socket.on('pong', () => (unanswered = 0));
  socket.on('message', () => (unanswered = 0));
  socket.on('close', () => {
    clearInterval(rights);
    clearInterval(heartbeat);
    clearTimeout(expiry);
  });
}

/** Messages that may wait; then the connection is no longer read. */
const MAX_WAITING = 16;

/** Undefined for a binary message. */
type HandleMessage = (text: string | undefined) => Promise<void>;

/** Handles messages one by one: back-pressure for clients that do not read their responses. */
function handleInTurn(socket: WebSocket, handle: HandleMessage): void {
  const waiting: { text: string | undefined }[] = [];
  let isHandling = false;

  async function handleWaiting(): Promise<void> {
    if (isHandling) return;
    isHandling = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await handle(next.text);
      if (socket.isPaused) socket.resume();
    }
    isHandling = false;
  }

  socket.on('message', (data, isBinary) => {
    waiting.push({ text: isBinary ? undefined : (data as Buffer).toString() });
    if (waiting.length >= MAX_WAITING) socket.pause();
    void handleWaiting();
  });
  socket.on('close', () => (waiting.length = 0));
}

/** How long reads may continue when the process stops. */
const DRAIN_MS = 3_000;
/** Why the server closes a connection (RFC 6455, section 7.4). */
const CLOSE = { stopping: 1001, notText: 1003, unauthorized: 4401, tooSlow: 4408 } as const;

interface Deps {
  socket: WebSocket;
  id: string;
  access: Access;
  streams: FileStreams;
  /**
   * Reopens the access of the connection's token.
   * @throws 401 when it is no longer valid
   */
  openAccess: () => Promise<Access>;
  toError: (error: unknown) => AppError;
  onFailure: (error: AppError) => void;
  onBytes: (bytes: number) => void;
  /** @param outcome `opened`, `end`, or the code of an error */
  onResponse: (outcome: string) => void;
  /** Called when the client has not accepted its data in time. */
  onSlow: () => void;
  limits: StreamLimits;
}

/** In milliseconds. */
export interface StreamLimits {
  pingEveryMs: number;
  /** Per frame, and per segment. */
  stallMs: number;
  segmentMs: number;
}

export interface StreamConnection {
  /** Starts no more reads, lets those in progress continue briefly, and closes. */
  close(): Promise<void>;
}

/** Serves a connection until it closes (docs/contract.md, "Streaming"). */
export function serveConnection(deps: Deps): StreamConnection {
  const { socket, id, access, streams, openAccess, toError, limits } = deps;
  const writer = createSocketWriter(socket, { ...limits, onStall: deps.onSlow });
  let opened: OpenFileSet | undefined;
  let isStopping = false;

  function respond(message: ServerMessage): Promise<void> {
    if (message.type !== 'header') deps.onResponse(message.type === 'error' ? message.code : message.type);
    return writer.send(JSON.stringify(message));
  }

  async function fail(error: unknown, requestId?: number): Promise<void> {
    if (socket.readyState !== socket.OPEN) return;
    const mapped = toError(error);
    deps.onFailure(mapped);
    if (mapped.status === 401) return void socket.close(CLOSE.unauthorized, mapped.message);
    const { status, code, message, details } = mapped;
    // The client may be gone.
    await respond({ type: 'error', requestId, status, code, message, errors: details }).catch(() => undefined);
  }

  let sentBytes = 0;
  const onBytes = (bytes: number) => {
    sentBytes += bytes;
    deps.onBytes(bytes);
  };
  function onSlow(): void {
    deps.onSlow();
    socket.close(CLOSE.tooSlow, 'The client reads too slowly.');
    // Frees their memory before the client notices.
    reads.abort(commonErrors.callerDisconnected());
  }
  const reads = createStreamReads({ ...deps, ...limits, onBytes, onSlow, connection: id, writer, respond, fail });

  async function open({ requestId, fileSetId, nsfilter }: Extract<ClientMessage, { type: 'open' }>): Promise<void> {
    const { files, ...set } = await streams.open(fileSetId, nsfilter, await openAccess());
    opened = set;
    const { _id, _name } = set.fileSet;
    const states = files.map(({ _fileId, load }) =>
      load ? showLoad(load) : { _fileId, _status: 'NOT_REQUESTED' as const },
    );
    await respond({ type: 'opened', requestId, fileSet: { _id, _name }, files: states });
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
  // ws closes the connection with the right code after these errors.
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
