import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Hop-by-hop headers (RFC 9110, 7.6.1). Node frames the bodies on each side. */
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

/** Adds the address that was called and the client's. */
export function forwardedHeaders({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const before = headers['x-forwarded-for'];
  return {
    'x-forwarded-for': before === undefined ? socket.remoteAddress : `${String(before)}, ${socket.remoteAddress}`,
    'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host,
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? 'http',
  };
}

/** The caller's headers in the service's order and case, including repeated ones. */
export function responseHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const dropped = droppedNames(headers.connection).add('transfer-encoding');
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !dropped.has(name.toLowerCase()) ? [name, rawHeaders[index + 1]!] : [],
  );
}

export function dropHopByHop(headers: IncomingHttpHeaders): void {
  for (const name of droppedNames(headers.connection)) delete headers[name];
}

/** The standard ones and those named in the `Connection` header. */
function droppedNames(connection = ''): Set<string> {
  const named = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set([...HOP_BY_HOP, ...named]);
}
