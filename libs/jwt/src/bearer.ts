import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1), or undefined. */
export function bearerToken(headers: IncomingHttpHeaders, name = 'authorization'): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? BEARER.exec(value)?.[1] : undefined;
}
