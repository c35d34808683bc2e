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

/** Whether pages of an origin may call. */
export type IsAllowedOrigin = (origin: string) => Promise<boolean>;

/**
 * CORS for pages of the given origins.
 * @param origins exact origins; `*` stands for any part of a host or any port (`http://localhost:*`)
 * @param isAllowed decides about all others
 */
export function corsOptions(origins: string[], isAllowed: IsAllowedOrigin): CorsOptions {
  const patterns = origins.map(originPattern);
  return {
    origin: (origin, answer) => {
      if (origin === undefined) return answer(null, false);
      if (patterns.some((pattern) => pattern.test(origin))) return answer(null, true);
      isAllowed(origin).then(
        (allowed) => answer(null, allowed),
        () => answer(null, false),
      );
    },
    exposedHeaders: EXPOSED,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    credentials: false,
    maxAge: 600,
  };
}

const originPattern = (origin: string) =>
  new RegExp(`^${origin.split('*').map(escapeStringRegexp).join('[A-Za-z0-9.-]*')}$`, 'i');
