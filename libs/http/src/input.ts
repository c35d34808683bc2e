import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import getRawBody from 'raw-body';
import { cutText, JsonRejected, parseJson } from '@dtplatform/contracts';
import { commonErrors, describeIssue } from '@dtplatform/errors';
import type { AppError, ErrorDetail } from '@dtplatform/errors';

const BODY_DEADLINE_MS = 30_000;
const MAX_LOCATION = 200;
/** JSON whitespace. */
const SPACE: readonly number[] = [...Buffer.from(' \t\n\r')];

/** @throws 400 that names each invalid field; 404 for an invalid path parameter */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, where: 'params' | 'query' | 'body'): T {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  if (where === 'params') throw notFound(parsed.error);
  throw commonErrors.badRequest({ details: detailsOf(parsed.error, where, value) });
}

/** Lets a schema provide the message of a 404: `refine(isKnown, { message, params: { isNotFound: true } })`. */
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

/** Whether a single-valued parameter was repeated. */
function isRepeated({ code, path }: z.core.$ZodIssue, query: unknown): boolean {
  const [name, ...inner] = path;
  if (name === undefined || inner.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value')) return false;
  return Array.isArray((query as Record<PropertyKey, unknown>)[name]);
}

const locationOf = (where: string, path: readonly PropertyKey[]) =>
  cutText([where, ...path].map(String).join('.'), MAX_LOCATION);

/** @throws 415 for a body with `Content-Encoding` */
export function rejectEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') throw commonErrors.unsupportedMediaType();
}

/** Parses a JSON body; undefined for an empty one. @throws 400 with the place of the error */
export function parseBody(bytes: Buffer, parse: (bytes: Buffer) => unknown = parseJson): unknown {
  if (isBlank(bytes)) return undefined;
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof JsonRejected)) throw error;
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

/** Reads a body into memory. @throws 413, 408, or 400 when its length differs from `Content-Length` */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // Not p-timeout, which creates an error with a stack for every call: 30 µs per request against 3 µs.
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

/** The properties of zod definitions that this module uses. */
interface Definition {
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
}

/**
 * Rejects arrays that are longer than their schema permits before their entries are validated. zod checks the length
 * last, after it has described the errors of millions of entries.
 * @throws 400 that names the array
 */
export function rejectLongArrays(schema: z.ZodType, value: unknown, where = 'body'): void {
  if (!hasArrays(schema)) return;
  const { innerType, in: input, element, shape } = definitionOf(schema);
  const wrapped = innerType ?? input;
  if (wrapped) rejectLongArrays(wrapped, value, where);
  else if (element && Array.isArray(value)) {
    const maximum = maximumOf(schema);
    if (value.length > maximum) throw tooLong(where, maximum);
    if (hasArrays(element)) value.forEach((entry, index) => rejectLongArrays(element, entry, `${where}.${index}`));
  } else if (shape && typeof value === 'object' && value !== null) {
    for (const key in shape) rejectLongArrays(shape[key]!, (value as Record<string, unknown>)[key], `${where}.${key}`);
  }
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;

function maximumOf(schema: z.ZodType): number {
  const known = maxima.get(schema);
  if (known !== undefined) return known;
  const { maxItems = Infinity } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  maxima.set(schema, maxItems);
  return maxItems;
}
const maxima = new WeakMap<z.ZodType, number>();

/** Whether values of a schema can contain arrays. Entries of most long arrays cannot, and are skipped. */
function hasArrays(schema: z.ZodType): boolean {
  const known = withArrays.get(schema);
  if (known !== undefined) return known;
  // Stops the recursion for schemas that contain themselves.
  withArrays.set(schema, true);
  const { innerType, in: input, element, shape = {} } = definitionOf(schema);
  const parts = [innerType, input, ...Object.values(shape)].filter((part) => part !== undefined);
  const has = element !== undefined || parts.some(hasArrays);
  withArrays.set(schema, has);
  return has;
}
const withArrays = new WeakMap<z.ZodType, boolean>();

const tooLong = (location: string, maximum: number) =>
  commonErrors.badRequest({ details: [{ location, message: `must have at most ${maximum} items` }] });

const MAX_NAME = 64;

/**
 * Rejects a URL whose query has escapes that are invalid UTF-8 or encode NUL. Node.js would silently replace them.
 * Express rejects them in paths.
 * @throws 400 that names the parameter
 */
export function rejectUndecodable(url: string): void {
  const query = url.slice(url.indexOf('?') + 1);
  if (query === url || !query.includes('%') || isDecodable(query)) return;
  const [name = ''] = query
    .split('&')
    .find((parameter) => !isDecodable(parameter))!
    .split('=');
  const location = isDecodable(name) ? `query.${cutText(decodeURIComponent(name), MAX_NAME)}` : 'query';
  throw commonErrors.badRequest({
    details: [{ location, message: 'has escapes that are invalid UTF-8 or encode NUL' }],
  });
}

/** Whether percent escapes decode to UTF-8 without NUL. */
export function isDecodable(text: string): boolean {
  try {
    return !decodeURIComponent(text).includes('\0');
  } catch {
    return false;
  }
}
