import type { IncomingMessage } from 'node:http';

/** Which of the two paths a request came by: they answer errors of the token endpoint with different statuses. */
export type ApiVersion = 1 | 2;

/** What we know of a request besides what the OAuth library reads. */
export interface OAuthRequest {
  version: ApiVersion;
  /** The app's secret was sent: the app must be who it says it is. Without one it is a public client. */
  secretSent: boolean;
  /** It was sent in an `Authorization` header. */
  basicSent: boolean;
  /** Why the request could not be answered, where that is not the caller's fault. */
  failure?: unknown;
}

/** A request made ready for the OAuth library. */
export interface LibraryRequest extends IncomingMessage {
  oauth: OAuthRequest;
  originalUrl: string;
}

export interface LibraryView {
  /** Where callers reach the OAuth endpoints. */
  issuer: URL;
  /** Path below the issuer, with the query. */
  url: string;
  /** A form that takes the place of the body, which has been read. */
  form?: string;
  about: OAuthRequest;
}

/**
 * Makes a request look as the OAuth library takes it. Whatever host and path it came by, the library makes its URLs from
 * the issuer's. Bodies are read before, since they come in more forms than it takes, and are given to it again here.
 */
export function forLibrary(req: IncomingMessage, { issuer, url, form, about }: LibraryView): LibraryRequest {
  const request = req as LibraryRequest;
  request.oauth = about;
  request.url = url;
  request.originalUrl = issuer.pathname + url;
  const { headers } = request;
  headers.host = issuer.host;
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  if (form !== undefined) replaceBody(request, form);
  return request;
}

function replaceBody(request: LibraryRequest, form: string): void {
  const { headers } = request;
  const body = Buffer.from(form);
  request.method = 'POST';
  delete headers.authorization;
  delete headers['transfer-encoding'];
  headers.accept = 'application/json';
  headers['content-type'] = 'application/x-www-form-urlencoded';
  headers['content-length'] = String(body.length);
  // The stream has ended; what the library reads of it is this.
  Object.defineProperty(request, 'readable', { value: true });
  Object.defineProperty(request, 'iterator', { value: () => [body] });
}
