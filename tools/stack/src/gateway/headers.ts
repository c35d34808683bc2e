import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** RFC 9110, 7.6.1: these speak of one connection only. Framing of bodies is Node's work on each side. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Tells the service which address was called, and by whom. */
export function forwardedHeaders({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const before = headers['x-forwarded-for'];
  return {
    'x-forwarded-for': before === undefined ? socket.remoteAddress : `${String(before)}, ${socket.remoteAddress}`,
    'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host,
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? 'http',
  };
}

/** What the caller gets, in the service's order and letter case, repeated headers included. */
export function responseHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const dropped = droppedNames(headers.connection).add('transfer-encoding');
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !dropped.has(name.toLowerCase()) ? [name, rawHeaders[index + 1]!] : [],
  );
}

export function dropHopByHop(headers: IncomingHttpHeaders): void {
  for (const name of droppedNames(headers.connection)) delete headers[name];
}

/** The fixed ones and those that the `Connection` header names. */
function droppedNames(connection = ''): Set<string> {
  const named = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set([...HOP_BY_HOP, ...named]);
}
