import type { IncomingMessage } from 'node:http';

/** A request as the OAuth library expects it. */
export interface LibraryRequest extends IncomingMessage {
  originalUrl: string;
  /** Why the request could not be answered, if that is not the caller's fault. */
  failure?: unknown;
}

/**
 * Prepares a request for the OAuth library. Whatever host and path the request was sent to, the library derives its URLs
 * from the issuer's.
 * @param url path below the issuer, with the query
 */
export function toLibraryRequest(req: IncomingMessage, issuer: URL, url: string): LibraryRequest {
  const request = req as LibraryRequest;
  request.url = url;
  request.originalUrl = issuer.pathname + url;
  const { headers } = request;
  headers.host = issuer.host;
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  return request;
}
