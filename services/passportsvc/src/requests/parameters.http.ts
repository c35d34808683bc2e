import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { ParsedUrlQuery } from 'node:querystring';
import { z } from 'zod';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { Text } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { isDecodable, mediaTypeOf, normalizedContentType, readBody } from '@dtplatform/http';
import { errors } from '../errors.js';

/** A repeated parameter has an array of values. */
export type Parameters = ParsedUrlQuery;

const MAX_BODY_BYTES = 64 * 1024;
const MAX_PARAMETERS = 100;

export function queryParameters(req: IncomingMessage): Parameters {
  const url = req.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? {} : parse(url.slice(start + 1), '&', '=', { maxKeys: MAX_PARAMETERS });
}

/**
 * The parameters of a body, form-encoded or multipart. @throws invalidRequest, payloadTooLarge, unsupportedMediaType
 */
export async function bodyParameters(req: IncomingMessage): Promise<Parameters> {
  const encoding = req.headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw commonErrors.unsupportedMediaType();
  const body = await readBody(req, MAX_BODY_BYTES);
  if (body.length === 0) return {};
  const contentType = req.headers['content-type'] ?? '';
  const type = mediaTypeOf(contentType);
  if (type === 'application/x-www-form-urlencoded') {
    const text = textOf(body);
    if (!isDecodable(text)) throw notText();
    return parse(text, '&', '=', { maxKeys: MAX_PARAMETERS });
  }
  if (type === 'multipart/form-data') {
    textOf(body);
    return multipartParameters(body, contentType);
  }
  throw errors.invalidRequest({ message: 'Parameters must be form-encoded, multipart or in the query.' });
}

/** Strict: the parsers would replace invalid UTF-8. */
function textOf(body: Buffer): string {
  if (!isUtf8(body) || body.includes(0)) throw notText();
  return body.toString();
}

const notText = () => errors.invalidRequest({ message: 'The parameters must be UTF-8, without NUL.' });

async function multipartParameters(body: Buffer, contentType: string): Promise<Parameters> {
  const parameters: Parameters = {};
  try {
    const headers = { 'content-type': normalizedContentType(contentType) };
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the body is small and fully read, so the runtime's parser is enough
    const form = await new Response(new Uint8Array(body), { headers }).formData();
    for (const [name, value] of form) {
      if (typeof value !== 'string') throw new Error('a file');
      add(parameters, name, value);
    }
  } catch (error) {
    throw errors.invalidRequest({ message: 'The multipart body is malformed.', cause: error });
  }
  return parameters;
}

/** A parameter that occurs in both has both values. */
export function merged(first: Parameters, second: Parameters): Parameters {
  const all: Parameters = { ...first };
  for (const [name, value] of Object.entries(second)) {
    for (const entry of [value].flat()) add(all, name, entry ?? '');
  }
  return all;
}

function add(parameters: Parameters, name: string, value: string): void {
  const before = parameters[name];
  parameters[name] = before === undefined ? value : [before, value].flat();
}

/** Longer than any parameter except a token. */
const MAX_LENGTH = 2048;

/**
 * The value of a parameter; undefined when it is missing or empty (RFC 6749, section 3.2).
 * @throws invalidRequest when it was sent more than once or is too long
 */
export function single(parameters: Parameters, name: string, maxLength = MAX_LENGTH): string | undefined {
  const value = parameters[name];
  if (Array.isArray(value)) throw errors.invalidRequest({ message: `${name} must not be sent more than once.` });
  if (value !== undefined && value.length > maxLength) {
    throw errors.invalidRequest({ message: `${name} must not be longer than ${maxLength} characters.` });
  }
  return value || undefined;
}

/** The value of a parameter that was sent once; anything else is ignored rather than rejected. */
export function onlyValue(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The schema of a parameter that the handler parses itself; accepts everything. */
export const readByHandler = (description: string) => z.string().optional().catch(undefined).describe(description);

/** A parameter that may be repeated to pass several values. */
export const repeated = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .pipe(z.array(z.string()).max(100));

export const oneOf = (field: string) =>
  repeated
    .optional()
    .describe(`Only those with this ${field}. Repeat the parameter for several values; a comma is part of a value.`);

export const textQuery = (fields: string) =>
  Text.max(256)
    .optional()
    .describe(
      `Only those whose ${fields} contains this text, ignoring case. With \`*\`, a pattern for the whole text.`,
    );

/** Groups of an IPv6 address that name a network; its owner has all addresses in it. */
const IPV6_NETWORK = 4;

/** The client's address behind trusted proxies; for IPv6, its network. */
export function clientAddress(req: IncomingMessage): string {
  const { ip = '' } = req as Request;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return address.parts
    .slice(0, IPV6_NETWORK)
    .map((group) => group.toString(16))
    .join(':');
}
