import type { components, operations } from './generated/api.js';
import type { OPERATIONS } from './generated/operations.js';

/** The name of an operation, as in the reference: `filesvc.files.list`. */
export type OperationId = keyof typeof OPERATIONS & keyof operations;

/** The schemas of the reference: `Schemas['File']`. */
export type Schemas = components['schemas'];

type Parameters<O extends OperationId> = operations[O]['parameters'];

/** A part of the input: absent, optional or required, as in the reference. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? Partial<Record<Name, undefined>>
  : object extends Value
    ? Partial<Record<Name, Value>>
    : Record<Name, Value>;

type Value<O extends OperationId, Place extends 'path' | 'query' | 'header'> = Parameters<O>[Place &
  keyof Parameters<O>];

/** The JavaScript type of each media type. */
type BodyOf<Content> = {
  [Type in keyof Content]: Type extends 'multipart/form-data'
    ? FormData
    : Type extends 'application/x-www-form-urlencoded'
      ? URLSearchParams
      : Type extends `${string}json`
        ? Content[Type]
        : Blob | Uint8Array<ArrayBuffer>;
}[keyof Content];

type RequestBody<O extends OperationId> = operations[O] extends { requestBody: { content: infer Content } }
  ? { body: BodyOf<Content> }
  : operations[O] extends { requestBody?: { content: infer Content } }
    ? { body?: BodyOf<Content> }
    : { body?: undefined };

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Time limit of one attempt. */
  timeoutMs?: number;
  /** Number of retries of calls that are safe to repeat. */
  retries?: number;
  /** Repeated calls with the same key have no further effect. By default each call gets its own key. */
  idempotencyKey?: string;
}

/** Parameters, body and call options of an operation. */
export type Input<O extends OperationId> = CallOptions & {
  headers?: Partial<NonNullable<Value<O, 'header'>>> & Record<string, string | number | undefined>;
} & Part<'path', Value<O, 'path'>> &
  Part<'query', NonNullable<Value<O, 'query'>>> &
  RequestBody<O>;

/** The arguments after the operation's name; none if nothing is required. */
export type InputArguments<O extends OperationId> = object extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

type ReplyBody<Response> = Response extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : Content extends { 'application/scim+json': infer Json }
      ? Json
      : Blob
  : undefined;

/** The response body of an operation: parsed JSON, a Blob, or undefined. */
export type Output<O extends OperationId> = operations[O]['responses'] extends infer Responses
  ? { [Status in keyof Responses]: ReplyBody<Responses[Status]> }[keyof Responses]
  : never;

/** The whole response of an operation. */
export interface Reply<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Operations that return a page of a list. */
export type ListOperation = { [O in OperationId]: Output<O> extends { _list: unknown[] } ? O : never }[OperationId];

/** An entry of such a list. */
export type EntryOf<O extends OperationId> = Output<O> extends { _list: (infer Entry)[] } ? Entry : never;
