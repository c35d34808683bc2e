import { expect } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenApiDocument } from '../src/index.js';

/** Validates the document and its references with an independent OpenAPI parser. */
export async function assertValid(document: OpenApiDocument): Promise<void> {
  const text = JSON.stringify(document);
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text) as Record<string, unknown>)).toEqual({ valid: true });
  expect(validator.resolveRefs()).toBeDefined();
  for (const [, reference] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
    const found = reference!
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], JSON.parse(text));
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
}

export const parametersOf = (operation: { parameters?: object[] }) =>
  Object.fromEntries(
    (operation.parameters as { name: string; in: string; required: boolean }[]).map((each) => [each.name, each]),
  );
