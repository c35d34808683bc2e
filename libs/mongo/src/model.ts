import type {
  Model,
  PipelineStage,
  Schema,
  SchemaDefinitionProperty,
  UpdateQuery,
  UpdateWithAggregationPipeline,
} from 'mongoose';
import mongoose from 'mongoose';
import { ObjectId } from './driver.js';

/** The name, paths and indexes of one collection. `Mongo.model` makes a model of it for one connection. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of models holds those of any documents
export interface ModelDefinition<T = any> {
  collection: string;
  schema: mongoose.Schema<T>;
  timeSeries?: TimeSeries;
}

/** Makes the collection a time-series collection. */
interface TimeSeries {
  timeField: string;
  metaField: string;
  granularity: 'seconds' | 'minutes' | 'hours';
}

/** The definition of any entity, for lists. */
export interface AnyModel {
  collection: string;
  schema: Pick<mongoose.Schema, 'indexes'>;
  timeSeries?: TimeSeries;
}

/** An index of a collection. To change one, give it a new name. */
type Index = mongoose.IndexOptions & { key: mongoose.IndexDefinition; name: string };

export interface ModelOptions {
  indexes?: readonly Index[];
  /** Documents may have undeclared fields. */
  open?: boolean;
  timeSeries?: TimeSeries;
}

/** A schema type per stored field; missing or extra fields do not compile. */
export type PathsOf<T> = { [K in keyof Required<T>]: SchemaDefinitionProperty };

export type { Model, PipelineStage };

const REVISION = '_revision';
// A required string may be empty, which Mongoose rejects by default.
mongoose.Schema.Types.String.checkRequired((value) => typeof value === 'string');
/** Keeps empty objects and arrays. */
const AS_GIVEN = { minimize: false } as const;

/**
 * Declares a collection of documents without an entity (otherwise use `modelOf`): `defineModel<Mark>('marks', { _id:
 * id, at: Date }, { indexes: [{ key: { at: 1 }, name: 'expiry' }] })`. All paths must be declared, unless the documents
 * are `open`. If `_revision` is among them, every update raises it.
 */
export function defineModel<T>(
  collection: string,
  paths: PathsOf<T>,
  { indexes = [], open = false, timeSeries }: ModelOptions = {},
): ModelDefinition<T> {
  const isRevised = REVISION in paths;
  const schema = new mongoose.Schema<T>(paths as mongoose.SchemaDefinition<T>, {
    ...AS_GIVEN,
    autoCreate: false,
    autoIndex: false,
    bufferCommands: false,
    collection,
    id: false,
    strict: open ? false : 'throw',
    ...(isRevised ? { versionKey: REVISION, optimisticConcurrency: true } : { versionKey: false }),
  });
  if (isRevised) {
    schema.pre(['findOneAndUpdate', 'updateOne', 'updateMany'], function raise() {
      const update = this.getUpdate();
      if (update) this.setUpdate(raised(update));
    });
    schema.pre('bulkWrite', (operations) => {
      for (const operation of operations) {
        const write =
          'updateOne' in operation ? operation.updateOne : 'updateMany' in operation && operation.updateMany;
        if (write) write.update = raised(write.update as UpdateQuery<unknown>) as typeof write.update;
      }
    });
  }
  for (const { key, ...options } of indexes) schema.index(key, options);
  keepJson(schema);
  return { collection, schema, ...(timeSeries && { timeSeries }) };
}

/** Schema types of stores, besides `String`, `Number`, `Boolean` and `Date`. */
export const id = { type: String, required: true } as const;
export const text = { type: String, required: true } as const;
export const number = { type: Number, required: true } as const;
export const flag = { type: Boolean, required: true } as const;
/** Free-form JSON, stored verbatim (`keepJson`). */
export const json = mongoose.Schema.Types.Mixed;
/** An array that stays absent if not given; Mongoose would store an empty one. */
export const optionalArray = (entry: SchemaDefinitionProperty): SchemaDefinitionProperty => ({
  type: [entry],
  default: undefined,
});
/** A nested object that stays absent if not given, without the `_id` that Mongoose would add. */
export const part = <T>(paths: PathsOf<T>) =>
  new mongoose.Schema(paths, {
    ...AS_GIVEN,
    _id: false,
    id: false,
    versionKey: false,
    strict: 'throw',
  });

type Update = UpdateQuery<unknown> | UpdateWithAggregationPipeline;

/** The update plus an increment of the revision. */
function raised(update: Update): Update {
  if (Array.isArray(update))
    return [...update, { $set: { [REVISION]: { $add: [{ $ifNull: [`$${REVISION}`, 0] }, 1] } } }];
  const { $setOnInsert, ...rest } = update as UpdateQuery<Record<string, unknown>>;
  const { [REVISION]: _initial, ...onInsert } = ($setOnInsert ?? {}) as Record<string, unknown>;
  return { ...rest, ...($setOnInsert && { $setOnInsert: onInsert }), $inc: { ...rest.$inc, [REVISION]: 1 } };
}

/** Options of an index over documents that have a path. */
export const ifPresent = (path: string) => ({ partialFilterExpression: { [path]: { $exists: true } } });

/** A new `_id`: 24 hexadecimal digits, increasing within a process. */
export const newId = (): string => new ObjectId().toHexString();

/**
 * Protects free-form JSON from Mongoose's clone, which drops keys such as `prototype` and treats an object with a key
 * such as `$__` as one of its own documents.
 */
class AsGiven {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  toBSON(): unknown {
    return withoutUndefined(this.#value);
  }
}

/** The driver would store undefined as null. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutUndefined(entry)]));
}

type Values = Record<string, unknown>;
type AnySchema = Pick<Schema, 'path' | 'static'>;

/** Makes a schema's model store free-form values verbatim. */
function keepJson(schema: AnySchema): void {
  const keep = (type: unknown, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || value instanceof AsGiven) return value;
    const { instance, schema: inner } = (type ?? {}) as { instance?: string; schema?: AnySchema };
    if (instance === 'Mixed') return new AsGiven(value);
    if (!inner) return value;
    return Array.isArray(value) ? value.map((entry) => keep(type, entry)) : kept(inner, value as Values);
  };
  const kept = (within: AnySchema, values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([path, value]) => [path, keep(within.path(path), value)]));

  const keptDocuments = (documents: unknown) =>
    Array.isArray(documents) ? documents.map((one: Values) => kept(schema, one)) : kept(schema, documents as Values);
  const keptUpdate = (update: unknown) => {
    if (typeof update !== 'object' || update === null || Array.isArray(update)) return update;
    const operators = Object.entries(update as Record<string, Values>);
    return Object.fromEntries(
      operators.map(([name, values]) => [name, name.startsWith('$set') ? kept(schema, values) : values]),
    );
  };
  const keptOperation = (operation: Record<string, Values>) =>
    Object.fromEntries(
      Object.entries(operation).map(([kind, { document, update, ...rest }]) => [
        kind,
        {
          ...rest,
          ...(document !== undefined && { document: keptDocuments(document) }),
          ...(update !== undefined && { update: keptUpdate(update) }),
        },
      ]),
    );

  const around = (name: string, index: number, change: (value: unknown) => unknown) => {
    const original = (mongoose.Model as unknown as Record<string, (...all: unknown[]) => unknown>)[name]!;
    schema.static(name, function (this: unknown, ...all: unknown[]) {
      return original.apply(this, all.with(index, change(all[index])));
    } as never);
  };
  for (const name of ['insertMany', 'create']) around(name, 0, keptDocuments);
  for (const name of ['updateOne', 'updateMany', 'findOneAndUpdate']) around(name, 1, keptUpdate);
  around('bulkWrite', 0, (operations) => (operations as Record<string, Values>[]).map(keptOperation));
}
