/** A call that a test made. */
export interface Example {
  /** The path parameters that were sent. */
  path: Record<string, string>;
  query: Record<string, string>;
  /** The JSON body that was sent. */
  body?: unknown;
  reply: {
    status: number;
    /** The JSON body that came back. */
    body?: unknown;
  };
}

interface Parameter {
  name: string;
  in: string;
  schema: { type?: string };
  example?: unknown;
}
interface Body {
  content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
}
interface Operation {
  operationId: string;
  /** The operations that share a path and a method. */
  'x-operations'?: string[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Body>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}
export interface AsyncApi {
  components: { messages: Record<string, { examples?: { payload: unknown }[] }> };
}

export const operationsOf = ({ operationId, 'x-operations': all }: Operation): string[] => all ?? [operationId];

/** Replaces the examples of all operations, except those of errors. */
export function showCalls({ paths }: OpenApi, calls: Record<string, Example>): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    removeExamples(operation);
    for (const name of operationsOf(operation)) if (calls[name]) showCall(operation, name, calls[name]);
  }
}

/** Replaces the examples of all messages. */
export function showMessages({ components }: AsyncApi, messages: Record<string, unknown>): void {
  for (const [name, message] of Object.entries(components.messages)) {
    delete message.examples;
    if (name in messages) message.examples = [{ payload: messages[name] }];
  }
}

const isSuccess = (status: number | string) => String(status).startsWith('2');

function removeExamples({ parameters = [], requestBody = {}, responses = {} }: Operation): void {
  for (const parameter of parameters) delete parameter.example;
  const successes = Object.entries(responses).flatMap(([status, response]) => (isSuccess(status) ? [response] : []));
  for (const { content = {} } of [requestBody, ...successes])
    for (const media of Object.values(content)) delete media.examples;
}

function showCall(operation: Operation, name: string, { path, query, body, reply }: Example): void {
  const { parameters = [], requestBody, responses = {} } = operation;
  const sent: Record<string, Record<string, string>> = { path, query };
  for (const parameter of parameters) {
    const text = sent[parameter.in]?.[parameter.name];
    if (text !== undefined) parameter.example ??= valueOf(text, parameter.schema);
  }
  if (body !== undefined) addExample(requestBody, name, body);
  if (isSuccess(reply.status) && reply.body !== undefined) addExample(responses[reply.status], name, reply.body);
}

/** Converts a parameter from text to its type. */
const valueOf = (text: string, { type }: { type?: string }): unknown =>
  type === 'integer' || type === 'number' || type === 'boolean' ? JSON.parse(text) : text;

function addExample({ content = {} }: Body = {}, name: string, value: unknown): void {
  for (const [type, media] of Object.entries(content))
    if (type.endsWith('json')) media.examples = { ...media.examples, [name]: { value } };
}
