import type { Content, Operation } from './operation-object.js';

interface Parameter {
  name: string;
  required: boolean;
}

/**
 * Merges two operations with the same path and method: what both require stays required, everything else is an
 * alternative.
 */
export function mergeOperations(first: Operation, second: Operation): Operation {
  const { requestBody: one, ...rest } = first;
  const { requestBody: other } = second;
  const required = Boolean(one?.required && other?.required);
  return {
    ...rest,
    summary: `${first.summary.replace(/\.$/, '')} / ${second.summary}`,
    parameters: mergeParameters(first.parameters as Parameter[], second.parameters as Parameter[]),
    ...(one || other ? { requestBody: { required, content: mergeContent(one?.content, other?.content) ?? {} } } : {}),
    responses: mergeReplies(first.responses, second.responses),
  };
}

function mergeParameters(first: Parameter[], second: Parameter[]): Parameter[] {
  const byName = new Map<string, Parameter>();
  for (const parameter of [...first, ...second]) {
    const inBoth = [first, second].every((list) => list.some(({ name }) => name === parameter.name));
    const before = byName.get(parameter.name);
    byName.set(parameter.name, { ...parameter, required: inBoth && parameter.required && before?.required !== false });
  }
  return [...byName.values()];
}

function mergeReplies(first: Operation['responses'], second: Operation['responses']): Operation['responses'] {
  const merged = { ...first };
  for (const [status, reply] of Object.entries(second)) {
    const content = mergeContent(first[status]?.content, reply.content);
    merged[status] = { ...first[status], ...reply, ...(content ? { content } : {}) };
  }
  return merged;
}

function mergeContent(first?: Content, second?: Content): Content | undefined {
  const merged = { ...first };
  for (const [type, { schema }] of Object.entries(second ?? {})) {
    const before = merged[type]?.schema;
    const same = JSON.stringify(before) === JSON.stringify(schema);
    merged[type] =
      before && schema && !same
        ? { schema: { anyOf: [...alternativesIn(before), schema] } }
        : { schema: schema ?? before };
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

const alternativesIn = (schema: { anyOf?: object[] }) =>
  Object.keys(schema).join() === 'anyOf' ? schema.anyOf! : [schema];
