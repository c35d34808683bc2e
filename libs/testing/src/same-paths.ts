import { deepEqual } from 'node:assert/strict';
import { z } from 'zod';
import type { ModelDefinition } from '@dtplatform/mongo';

/** Fails when a field is declared in a model or in the schema of its entity, but not in both. */
export function expectSamePaths({ collection, schema }: ModelDefinition, entity: z.ZodType): void {
  const stored = pathsOfModel(schema);
  // Without the registry of names, schemas that have one are not referred to.
  const json = z.toJSONSchema(entity, { unrepresentable: 'any', metadata: z.registry() });
  const declared = pathsOfEntity(json, stored);
  deepEqual([...stored.keys()].sort(), [...new Set(declared)].sort(), `the paths of ${collection}`);
}

type Stored = Map<string, { isOpen: boolean }>;

function pathsOfModel(schema: ModelDefinition['schema'], parent = ''): Stored {
  const paths: Stored = new Map();
  for (const [name, type] of Object.entries(schema.paths)) {
    if (type.schema) pathsOfModel(type.schema, `${parent}${name}.`).forEach((value, path) => paths.set(path, value));
    else paths.set(parent + name, { isOpen: type.instance === 'Mixed' || isMixedArray(type) });
  }
  return paths;
}

const isMixedArray = (type: { instance: string; embeddedSchemaType?: { instance: string } }) =>
  type.instance === 'Array' && type.embeddedSchemaType?.instance === 'Mixed';

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** What lies below free-form JSON of the model is not a path of its own. */
function pathsOfEntity(entity: object, stored: Stored, path = ''): string[] {
  const { properties, items, anyOf = [], allOf = [] } = entity as JsonSchema;
  if (stored.get(path)?.isOpen) return [path];
  const alternatives = [...anyOf, ...allOf, ...(items ? [items] : [])];
  const below = [
    ...Object.entries(properties ?? {}).flatMap(([name, field]) =>
      pathsOfEntity(field, stored, path ? `${path}.${name}` : name),
    ),
    ...alternatives.flatMap((alternative) => pathsOfEntity(alternative, stored, path)),
  ];
  return below.length > 0 ? below : [path];
}
