import { ApiError } from './errors.js';
import type { ApiErrorFields, ErrorDetail } from './errors.js';

/** The error of a response, in the platform's format, OAuth's (RFC 6749), SCIM's (RFC 7644), or an intermediary's. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  return makeApiError({ status, statusText, headers, body: await response.text().catch(() => '') });
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
  const message = textIn(body.message) ?? textIn(body.error_description) ?? textIn(body.detail);
  return new ApiError(message ?? `The platform responded with ${`${status} ${statusText}`.trim()}.`, fields);
}

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
