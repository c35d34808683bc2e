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

/** A request as the OAuth library sees it. */
export interface RequestView extends IncomingMessage {
  oauth: OAuthRequest;
}

export interface ViewOptions {
  /** Where callers reach the OAuth endpoints. */
  issuer: URL;
  /** Path below the issuer, with the query. */
  url: string;
  method?: string;
  /** A form that takes the place of the body. */
  form?: string;
  about: OAuthRequest;
}

/**
 * A request in the form that the OAuth library takes, while the original stays as it is. Whatever host and path the
 * request came by, the library makes its URLs from the issuer's. Bodies are read before, since they come in more forms
 * than it takes, and are given to it again here.
 */
export function requestView(req: IncomingMessage, options: ViewOptions): RequestView {
  const { issuer, url, form, about } = options;
  const headers: IncomingMessage['headers'] = {
    ...req.headers,
    host: issuer.host,
    'x-forwarded-host': issuer.host,
    'x-forwarded-proto': issuer.protocol.slice(0, -1),
  };
  if (form !== undefined) {
    delete headers.authorization;
    delete headers['transfer-encoding'];
    headers.accept = 'application/json';
    headers['content-type'] = 'application/x-www-form-urlencoded';
    headers['content-length'] = String(Buffer.byteLength(form));
  }
  const own = {
    headers,
    url,
    originalUrl: issuer.pathname + url,
    method: options.method ?? req.method,
    oauth: about,
    ...(form === undefined ? {} : { readable: true, iterator: () => [Buffer.from(form)] }),
  };
  const properties = Object.entries(own).map(([name, value]) => [name, { value, writable: true, enumerable: true }]);
  return Object.create(req, Object.fromEntries(properties)) as RequestView;
}
