import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { requestIdOf, toAppError } from '@dtplatform/http';
import type { ErrorMapper, IsAllowedOrigin } from '@dtplatform/http';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import { openCall, SpanKind } from '@dtplatform/telemetry';
import { createAdmission } from './admission.http.js';
import type { FileStreams } from './file-streams.js';
import { MAX_MESSAGE_BYTES, PROTOCOL, STREAM_PATH } from './messages.http.js';
import { serveConnection } from './stream-connection.http.js';
import type { StreamConnection, StreamLimits } from './stream-connection.http.js';
import { measureStreams } from './stream-metrics.http.js';
import { rejectUpgrade } from './upgrades.http.js';

/** A client that does not close its side by then is cut off. */
const CLOSE_TIMEOUT_MS = 1_000;
const SWITCHING_PROTOCOLS = 101;

interface Deps {
  streams: FileStreams;
  openToken: (token: string) => Promise<Access>;
  isAllowedOrigin: IsAllowedOrigin;
  errorMappers: ErrorMapper[];
  maxConnections: number;
  limits: StreamLimits;
  log: Logger;
  registry: Registry;
}

type EndOfCall = (status: number, more?: Record<string, unknown>) => void;

/** Serves the websockets of `/stream` (docs/contract.md, "Streaming"). */
export function createStreamServer(deps: Deps) {
  const { streams, openToken, errorMappers, log, limits } = deps;
  const sockets = createSocketServer();
  const admission = createAdmission(deps);
  const open = new Map<WebSocket, StreamConnection>();
  const metrics = measureStreams(deps.registry, () => open.size);

  const toError = (error: unknown) => toAppError(error, errorMappers);
  function onFailure(error: AppError): void {
    if (error.status >= 500) log.error({ err: error.cause ?? error, code: error.code }, 'stream request failed');
  }

  function serve(socket: WebSocket, { access, token }: { access: Access; token: string }, end: EndOfCall): void {
    let sentBytes = 0;
    let isSlow = false;
    const connection = serveConnection({
      ...{ socket, access, streams, toError, onFailure, limits, id: randomUUID() },
      openAccess: () => openToken(token),
      onBytes(bytes) {
        sentBytes += bytes;
        metrics.bytes.inc(bytes);
      },
      onResponse: (outcome) => metrics.requests.inc({ outcome }),
      onSlow() {
        if (isSlow) return;
        isSlow = true;
        metrics.slow.inc();
        log.warn('a client reads too slowly');
      },
    });
    open.set(socket, connection);
    socket.once('close', (closeCode) => {
      open.delete(socket);
      end(SWITCHING_PROTOCOLS, { closeCode, sentBytes });
    });
  }

  async function accept(req: IncomingMessage, socket: Duplex, head: Buffer, end: EndOfCall): Promise<void> {
    if (req.url?.split('?', 1)[0]?.replace(/\/$/, '') !== STREAM_PATH) throw commonErrors.notFound();
    const admitted = await admission.admit(req);
    if (socket.destroyed) throw commonErrors.callerDisconnected();
    socket.once('close', admission.take(admitted.access.principal.id));
    const webSocket = upgrade(sockets, req, socket, head);
    if (webSocket) serve(webSocket, admitted, end);
    // ws has already rejected a malformed handshake.
    else end(commonErrors.badRequest().status);
  }

  return {
    /** Takes over a connection that requests a websocket. The socket must have an error handler. */
    accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      const startMs = performance.now();
      const requestId = requestIdOf(req);
      const origin = { requestId, traceparent: req.headers.traceparent as string | undefined };
      const call = openCall(origin, 'stream.connect', { kind: SpanKind.SERVER });
      const end: EndOfCall = (status, more) =>
        call.run(() => {
          const durationMs = performance.now() - startMs;
          log.info({ operation: 'stream.connect', method: 'GET', path: STREAM_PATH, status, durationMs, ...more });
          call.span.end();
        });
      call.run(() => {
        accept(req, socket, head, end).catch((error: unknown) => {
          const rejection = toError(error);
          onFailure(rejection);
          if (!socket.destroyed) rejectUpgrade(socket, rejection, requestId);
          end(rejection.status, { code: rejection.code });
        });
      });
    },
    /** Rejects new websockets and closes open ones. */
    async close(): Promise<void> {
      admission.stop();
      const ending = [...open].map(async ([socket, connection]) => {
        const closed = new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
        });
        await connection.close();
        await Promise.race([closed, delay(CLOSE_TIMEOUT_MS)]);
        socket.terminate();
      });
      await Promise.all(ending);
    },
  };
}

export type Upgrades = ReturnType<typeof createStreamServer>;

const createSocketServer = () =>
  new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    autoPong: false,
    handleProtocols: (offered) => offered.has(PROTOCOL) && PROTOCOL,
  });

/** Completes the handshake synchronously. */
function upgrade(sockets: WebSocketServer, req: IncomingMessage, socket: Duplex, head: Buffer): WebSocket | undefined {
  const opened: WebSocket[] = [];
  sockets.handleUpgrade(req, socket, head, (webSocket) => opened.push(webSocket));
  return opened[0];
}
