import type { IncomingMessage } from 'node:http';

/** A request made ready for the OAuth library. */
export interface LibraryRequest extends IncomingMessage {
  originalUrl: string;
  /** Why the request could not be answered, where that is not the caller's fault. */
  failure?: unknown;
}

/**
 * Makes a request look as the OAuth library takes it. Whatever host and path it came by, the library makes its URLs from
 * the issuer's.
 * @param url path below the issuer, with the query
 */
export function forLibrary(req: IncomingMessage, issuer: URL, url: string): LibraryRequest {
  const request = req as LibraryRequest;
  request.url = url;
  request.originalUrl = issuer.pathname + url;
  const { headers } = request;
  headers.host = issuer.host;
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  return request;
}
