import type { CorsOptions } from 'cors';
import escapeStringRegexp from 'escape-string-regexp';

const EXPOSED = [
  'ETag',
  'Location',
  'Retry-After',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Length',
  'Upload-Offset',
  'X-Request-Id',
];

/**
 * CORS for pages of the given origins.
 * @param origins exact origins; `*` stands for any part of a host or any port (`http://localhost:*`)
 */
export function corsOptions(origins: string[]): CorsOptions {
  const patterns = origins.map(originPattern);
  return {
    origin: (origin, answer) => answer(null, origin !== undefined && patterns.some((pattern) => pattern.test(origin))),
    exposedHeaders: EXPOSED,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    credentials: false,
    maxAge: 600,
  };
}

const originPattern = (origin: string) =>
  new RegExp(`^${origin.split('*').map(escapeStringRegexp).join('[A-Za-z0-9.-]*')}$`, 'i');
