import { z } from 'zod';

type Json = Record<string, unknown>;

/** Turns zod schemas into those of one document. What refers to itself goes into the document's components. */
export interface Schemas {
  /** What a caller sends. @param name unique in the document */
  input(schema: z.ZodType, name: string): Json;
  /** What a caller gets. It may have more fields than are described. */
  output(schema: z.ZodType, name: string): Json;
}

/** @param components the document's schemas, to which some are added */
export function createSchemas(components: Record<string, object>): Schemas {
  const convert = (schema: z.ZodType, io: 'input' | 'output', name: string) => {
    const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: allowMore(io),
    });
    return withReferences(json, name, components);
  };
  return {
    input: (schema, name) => convert(schema, 'input', name),
    output: (schema, name) => convert(schema, 'output', name),
  };
}

const allowMore =
  (io: 'input' | 'output') =>
  ({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }) => {
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };

/** A reference such as `#/$defs/x` or `#` counts from the start of the document, of which the schema is only a part. */
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
