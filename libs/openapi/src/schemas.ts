import { z } from 'zod';

type Json = Record<string, unknown>;

/** Converts zod schemas to JSON schemas of one document. Recursive ones go into the document's components. */
export interface Schemas {
  /** The schema of what a caller sends. @param name unique in the document */
  input(schema: z.ZodType, name: string): Json;
  /** The schema of what a caller gets; further fields are allowed. */
  output(schema: z.ZodType, name: string): Json;
}

/** @param components the document's component schemas; recursive schemas are added to it */
export function createSchemas(components: Record<string, object>): Schemas {
  const convert = (schema: z.ZodType, io: 'input' | 'output', name: string) => {
    const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: allowFurtherFields(io),
    });
    return withReferences(json, name, components);
  };
  return {
    input: (schema, name) => convert(schema, 'input', name),
    output: (schema, name) => convert(schema, 'output', name),
  };
}

const allowFurtherFields =
  (io: 'input' | 'output') =>
  ({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }) => {
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };

/** References such as `#/$defs/x` or `#` are relative to the whole document, so they must point into its components. */
function withReferences(json: Json, name: string, components: Record<string, object>): Json {
  const text = JSON.stringify(json);
  if (!text.includes('"$ref":"#')) return json;
  const { $defs = {}, ...root } = JSON.parse(
    text
      .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`)
      .replaceAll('"$ref":"#/$defs/', `"$ref":"#/components/schemas/${name}.`),
  ) as Json & { $defs?: Record<string, object> };
  for (const [key, definition] of Object.entries($defs)) components[`${name}.${key}`] = definition;
  components[name] = root;
  return { $ref: `#/components/schemas/${name}` };
}
