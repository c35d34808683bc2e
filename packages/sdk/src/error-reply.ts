import { ApiError, NoPlatformError } from './errors.js';
import type { ApiErrorFields, ErrorDetail } from './errors.js';

/** The error of a response, in the platform's format, OAuth's (RFC 6749), SCIM's (RFC 7644), or an intermediary's. */
export async function errorOfReply(response: Response, method: string): Promise<ApiError | NoPlatformError> {
  const { status, statusText, headers, url } = response;
  const body = await response.text().catch(() => '');
  // The response to a HEAD has no body that would show who it is from.
  if (status === 404 && method !== 'HEAD' && !headers.has('x-request-id') && !isOfPlatform(parse(body)))
    return new NoPlatformError(url, 'another server responded with 404');
  return makeApiError({ status, statusText, headers, body });
}

/** The formats of the platform, OAuth and SCIM. */
const isOfPlatform = (body: Record<string, unknown>) => ['requestId', 'error', 'schemas'].some((name) => name in body);

/** No operation returns a page: it comes from an intermediary or another server. @throws NoPlatformError */
export function refusePage({ headers, url }: Response): void {
  if (headers.get('content-type')?.startsWith('text/html'))
    throw new NoPlatformError(url, 'the response is an HTML page');
}

/** The error at the end of an event stream. */
export const apiErrorOfBody = (body: string): ApiError =>
  makeApiError({ status: Number(parse(body).status) || 500, body });

export interface ErrorReply {
  status: number;
  statusText?: string;
  headers?: { get(name: string): string | null };
  body: string;
}

export function makeApiError({ status, statusText = '', headers, body: text }: ErrorReply): ApiError {
  const body = parse(text);
  const fields: ApiErrorFields = {
    status,
    code: textIn(body.code) ?? textIn(body.error)?.toUpperCase() ?? textIn(body.scimType) ?? `HTTP_${status}`,
    requestId: textIn(body.requestId) ?? headers?.get('x-request-id') ?? undefined,
    details: Array.isArray(body.errors) ? (body.errors as ErrorDetail[]) : [],
    retryAfterMs: retryAfterMs(headers?.get('retry-after') ?? null),
  };
  const message =
    textIn(body.message) ??
    textIn(body.error_description) ??
    textIn(body.detail) ??
    `The platform responded with ${`${status} ${statusText}`.trim()}.`;
  return new ApiError([message, firstOf(fields.details)].filter(Boolean).join(' '), fields);
}

const firstOf = ([detail]: ErrorDetail[] = []) => detail && `${detail.location}: ${detail.message}`;

function parse(body: string): Record<string, unknown> {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** `Retry-After` in milliseconds, from seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
