import { OPERATIONS } from './generated/operations.js';
import type { OperationId } from './types.js';

/** A call's URL template, and the parameters that the client fills in. */
export interface Route {
  operation: OperationId;
  method: string;
  /** With its parameters in braces. */
  path: string;
  namespaceParameter?: string;
  /** Limits the call to a namespace. Without it, the call covers all namespaces of the caller. */
  namespaceFilter?: string;
  takesKey: boolean;
  /** A POST that changes nothing. */
  reads: boolean;
}

/** @throws TypeError for an operation that the reference does not have */
export function routeOf(operation: OperationId): Route {
  if (!Object.hasOwn(OPERATIONS, operation)) throw new TypeError(`There is no operation ${operation}.`);
  const [method = '', path = '', ...filled] = OPERATIONS[operation].split(' ');
  return {
    ...{ operation, method, path },
    namespaceParameter: filled.find((name) => !['Idempotency-Key', 'reads'].includes(name) && !name.endsWith('?')),
    namespaceFilter: filled.find((name) => name.endsWith('?'))?.slice(0, -1),
    takesKey: filled.includes('Idempotency-Key'),
    reads: filled.includes('reads'),
  };
}

type Values = Record<string, unknown>;

/** Fills in the parameters of a path. @throws TypeError when one is missing */
export function fillPath({ operation, path }: Route, values: Values = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty value, or dots, would lead to another operation.
    if (!isText(value) || /^\.{0,2}$/.test(String(value))) throw new TypeError(`${operation} requires path.${name}.`);
    return encodeURIComponent(value);
  });
}

const isText = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** The query: lists repeat the parameter; objects, such as filters, become JSON. */
export function queryOf(values: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (each !== undefined && each !== null) query.append(name, textOf(each));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export interface Encoded {
  body?: RequestInit['body'];
  contentType?: string;
}

/** Forms and bytes are sent unchanged, everything else as JSON. */
export function encodeBody(body: unknown): Encoded {
  if (body === undefined) return {};
  // fetch sets the type of forms, including the boundary.
  if (body instanceof FormData || body instanceof URLSearchParams) return { body };
  if (body instanceof Blob || body instanceof Uint8Array)
    return { body: body as Encoded['body'], contentType: 'application/offset+octet-stream' };
  return { body: JSON.stringify(body), contentType: 'application/json' };
}
