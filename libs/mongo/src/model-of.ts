import type { SchemaDefinitionProperty } from 'mongoose';
import { z } from 'zod';
import { json as asGiven, defineModel, optionalArray, part } from './model.js';
import type { ModelDefinition, ModelOptions, PathsOf } from './model.js';

interface EntityOptions extends Omit<ModelOptions, 'open'> {
  /**
   * Paths of objects that are stored verbatim, because they are compared as a whole or contain any number of objects.
   */
  json?: readonly string[];
}

/**
 * The model of an entity: `modelOf('files', File, { indexes: [{ key: { _namespaces: 1 }, name: 'namespace' }] })`.
 * Rejects writes with unknown, missing or wrongly typed fields; limits and patterns are validated at the edge. Records,
 * unions and nested `z.looseObject`s are stored verbatim. If the entity itself is a `z.looseObject`, documents may have
 * further fields.
 */
export const modelOf = <Entity extends z.ZodObject>(
  collection: string,
  entity: Entity,
  { json = [], ...options }: EntityOptions = {},
): ModelDefinition<z.output<Entity>> =>
  defineModel<z.output<Entity>>(collection, pathsOf(entity, json), { ...options, open: isOpen(entity) });

const pathsOf = <Entity extends z.ZodObject>(entity: Entity, json: readonly string[], above = '') =>
  Object.fromEntries(
    Object.entries<z.core.$ZodType>(entity.shape).map(([name, field]) => [name, pathOf(field, json, above + name)]),
  ) as PathsOf<z.output<Entity>>;

function pathOf(
  field: z.core.$ZodType,
  json: readonly string[],
  path: string,
  required = true,
): SchemaDefinitionProperty {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable)
    return pathOf(field.unwrap(), json, path, false);
  if (field instanceof z.ZodDefault) return pathOf(field.unwrap(), json, path, required);
  if (!(field instanceof z.ZodArray)) return { type: typeOf(field, json, path), required };
  const entry = typeOf(field.element, json, path);
  return required ? [entry] : optionalArray(entry);
}

function typeOf(field: z.core.$ZodType, json: readonly string[], path: string): SchemaDefinitionProperty {
  if (field instanceof z.ZodObject)
    return isOpen(field) || json.includes(path) ? asGiven : part(pathsOf(field, json, `${path}.`));
  if (field instanceof z.ZodLiteral) return typeOfValues([...field.values]);
  if (field instanceof z.ZodEnum) return typeOfValues(field.options);
  const [, type] = TYPES.find(([kind]) => field instanceof kind) ?? [];
  if (!type) throw new Error(`${path}: a model cannot hold a field of the type ${(field as z.ZodType).def.type}`);
  return type;
}

const TYPES = [
  [z.core.$ZodString, String],
  [z.core.$ZodNumber, Number],
  [z.core.$ZodBoolean, Boolean],
  [z.core.$ZodDate, Date],
  [z.core.$ZodRecord, asGiven],
  [z.core.$ZodUnion, asGiven],
  [z.core.$ZodUnknown, asGiven],
] as const;

function typeOfValues(values: readonly unknown[]): SchemaDefinitionProperty {
  const isAll = (type: string) => values.every((value) => typeof value === type);
  return isAll('string') ? String : isAll('number') ? Number : isAll('boolean') ? Boolean : asGiven;
}

const isOpen = ({ def: { catchall } }: z.ZodObject) =>
  catchall !== undefined && !(catchall instanceof z.core.$ZodNever);
