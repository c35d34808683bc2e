import type { OpenApiDocument } from './describe-api.js';
import type { Content, Operation } from './operation-object.js';

/** Copies the examples, which tests write into the committed document, to a new document. Errors have their own. */
export function copyExamples(from: OpenApiDocument, to: OpenApiDocument): void {
  const known = new Map(operationsIn(from).map((operation) => [operation.operationId, operation]));
  for (const operation of operationsIn(to)) {
    const before = known.get(operation.operationId);
    if (before) copyOfOperation(before, operation);
  }
}

interface DescribedMessages {
  components: { messages: Record<string, { examples?: unknown[] }> };
}

/** The same for a description of messages. */
export function copyMessageExamples(from: DescribedMessages, to: DescribedMessages): void {
  for (const [name, message] of Object.entries(to.components.messages)) {
    const examples = from.components.messages[name]?.examples;
    if (examples) message.examples = examples;
  }
}

const operationsIn = ({ paths }: OpenApiDocument) => Object.values(paths).flatMap((methods) => Object.values(methods));

function copyOfOperation(from: Operation, to: Operation): void {
  for (const parameter of to.parameters) {
    const before = from.parameters.find((each) => each.in === parameter.in && each.name === parameter.name);
    if (before?.example !== undefined) parameter.example = before.example;
  }
  copyOfContent(contentOf(from.requestBody), contentOf(to.requestBody));
  for (const status of Object.keys(to.responses).filter((each) => each.startsWith('2')))
    copyOfContent(contentOf(from.responses[status]), contentOf(to.responses[status]));
}

const contentOf = (body: Operation['requestBody'] | Operation['responses'][string]): Content =>
  body && 'content' in body ? (body.content ?? {}) : {};

function copyOfContent(from: Content, to: Content): void {
  for (const [type, media] of Object.entries(to)) {
    const examples = from[type]?.examples;
    if (examples) media.examples = examples;
  }
}
