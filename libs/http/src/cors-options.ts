import type { CorsOptions } from 'cors';
import escapeStringRegexp from 'escape-string-regexp';

const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Ignored',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
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
 * Whether pages of an origin may call.
 * @param origins exact origins; `*` stands for any part of a host or any port (`http://localhost:*`)
 * @param isAllowed decides about all others; an error means no
 */
export function originCheck(origins: string[], isAllowed: IsAllowedOrigin): IsAllowedOrigin {
  const patterns = origins.map(originPattern);
  return async (origin) => patterns.some((pattern) => pattern.test(origin)) || isAllowed(origin).catch(() => false);
}

/** CORS for pages of the origins that `originCheck` allows. */
export function corsOptions(origins: string[], isAllowed: IsAllowedOrigin): CorsOptions {
  const check = originCheck(origins, isAllowed);
  return {
    origin: (origin, answer) => {
      if (origin === undefined) return answer(null, false);
      void check(origin).then((allowed) => answer(null, allowed));
    },
    exposedHeaders: EXPOSED,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    credentials: false,
    maxAge: 600,
  };
}

const originPattern = (origin: string) =>
  new RegExp(`^${origin.split('*').map(escapeStringRegexp).join('[A-Za-z0-9.-]*')}$`, 'i');
