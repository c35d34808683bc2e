import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import type { z } from 'zod';
import { cutText, JsonRefused, parseJson } from '@dtplatform/contracts';
import { commonErrors, describeIssue } from '@dtplatform/errors';
import type { AppError, ErrorDetail } from '@dtplatform/errors';

const BODY_DEADLINE_MS = 30_000;
const MAX_LOCATION = 200;
/** The bytes of the spaces of JSON. */
const SPACE: readonly number[] = [...Buffer.from(' \t\n\r')];

/** @throws 400 that names each invalid field; 404 when a path parameter is invalid */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, where: 'params' | 'query' | 'body'): T {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  if (where === 'params') throw notFound(parsed.error);
  throw commonErrors.badRequest({ details: detailsOf(parsed.error, where, value) });
}

/** A schema may say what there is none of: `refine(isKnown, { message, params: { isNotFound: true } })`. */
function notFound({ issues }: z.ZodError): AppError {
  const unknown = issues.find((issue) => issue.code === 'custom' && issue.params?.isNotFound === true);
  return commonErrors.notFound({ message: unknown?.message });
}

function detailsOf(error: z.ZodError, where: string, value: unknown): ErrorDetail[] {
  return error.issues.slice(0, 20).map((issue) => ({
    location: locationOf(where, issue.path),
    message: where === 'query' && isRepeated(issue, value) ? 'must not be sent more than once' : issue.message,
  }));
}

/** Whether a parameter that takes one value was sent several times. */
function isRepeated({ code, path }: z.core.$ZodIssue, query: unknown): boolean {
  const [name, ...inner] = path;
  if (name === undefined || inner.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value')) return false;
  return Array.isArray((query as Record<PropertyKey, unknown>)[name]);
}

const locationOf = (where: string, path: readonly PropertyKey[]) =>
  cutText([where, ...path].map(String).join('.'), MAX_LOCATION);

/** @throws 415 for a body that is encoded */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') throw commonErrors.unsupportedMediaType();
}

/** Parses a JSON body; undefined for an empty one. @throws 400 that names the place */
export function parseBody(bytes: Buffer, parse: (bytes: Buffer) => unknown = parseJson): unknown {
  if (isBlank(bytes)) return undefined;
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    const { problem, path } = error;
    const details = path.length === 0 ? undefined : [{ location: locationOf('body', path), message: problem }];
    throw commonErrors.badRequest({ message: `The body ${error.message}.`, details });
  }
}

function isBlank(bytes: Buffer): boolean {
  let at = 0;
  while (SPACE.includes(bytes[at]!)) at++;
  return at === bytes.length;
}

/** Reads a body of any type into memory. @throws 413, 408, or 400 when its length differs from `Content-Length` */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // Not p-timeout, which creates an error with its stack for every call: 30 µs for each request, against 3 µs like this.
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(commonErrors.requestTimeout()), BODY_DEADLINE_MS);
  });
  try {
    const raw = getRawBody(req, { length: req.headers['content-length'], limit: maxBytes });
    return await Promise.race([raw, deadline]);
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large')
      throw commonErrors.payloadTooLarge({ maxBytes, cause: error });
    if ((error as { status?: number }).status === 400) throw commonErrors.badRequest({ cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
