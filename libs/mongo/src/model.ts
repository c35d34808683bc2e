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

/**
 * One collection: its name, and a schema with its paths and indexes. `Mongo.model` makes a model of it for one
 * connection.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of models holds those of any documents
export interface ModelDefinition<T = any> {
  collection: string;
  schema: mongoose.Schema<T>;
  timeSeries?: TimeSeries;
}

/** Makes a collection a time-series collection. */
interface TimeSeries {
  timeField: string;
  metaField: string;
  granularity: 'seconds' | 'minutes' | 'hours';
}

/** The definition of any entity, for lists of them. */
export interface AnyModel {
  collection: string;
  schema: Pick<mongoose.Schema, 'indexes'>;
  timeSeries?: TimeSeries;
}

/** An index of a collection. A changed one needs a new name. */
type Index = mongoose.IndexOptions & { key: mongoose.IndexDefinition; name: string };

export interface ModelOptions {
  indexes?: readonly Index[];
  /** Documents may have other fields than the declared ones. */
  open?: boolean;
  timeSeries?: TimeSeries;
}

/** A schema type for each stored field; a missing or an additional one does not compile. */
export type PathsOf<T> = { [K in keyof Required<T>]: SchemaDefinitionProperty };

export type { Model, PipelineStage };

const REVISION = '_revision';
// A required text may be empty; Mongoose would reject that.
mongoose.Schema.Types.String.checkRequired((value) => typeof value === 'string');
/** Empty objects and arrays are values of their own: they are stored as they are. */
const AS_GIVEN = { minimize: false } as const;

/**
 * Declares a collection whose documents are no entity (`modelOf` otherwise): `defineModel<Mark>('marks', { _id: id, at: Date },
 * { indexes: [{ key: { at: 1 }, name: 'expiry' }] })`. Every path must be declared, unless the documents are `open`. When
 * `_revision` is among the paths, every update raises it.
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

/** The schema types that stores use beside `String`, `Number`, `Boolean` and `Date`. */
export const id = { type: String, required: true } as const;
export const text = { type: String, required: true } as const;
export const number = { type: Number, required: true } as const;
export const flag = { type: Boolean, required: true } as const;
/** Free-form JSON, stored as it is given (`keepJson`). */
export const json = mongoose.Schema.Types.Mixed;
/** An array that is absent where it is not given; Mongoose would store an empty one. */
export const optionalArray = (entry: SchemaDefinitionProperty): SchemaDefinitionProperty => ({
  type: [entry],
  default: undefined,
});
/** An object inside a document. It is absent where it is not given. By default, Mongoose would add an `_id` to it. */
export const part = <T>(paths: PathsOf<T>) =>
  new mongoose.Schema(paths, {
    ...AS_GIVEN,
    _id: false,
    id: false,
    versionKey: false,
    strict: 'throw',
  });

type Update = UpdateQuery<unknown> | UpdateWithAggregationPipeline;

/** The same update, which also raises the revision. */
function raised(update: Update): Update {
  if (Array.isArray(update))
    return [...update, { $set: { [REVISION]: { $add: [{ $ifNull: [`$${REVISION}`, 0] }, 1] } } }];
  const { $setOnInsert, ...rest } = update as UpdateQuery<Record<string, unknown>>;
  const { [REVISION]: _initial, ...onInsert } = ($setOnInsert ?? {}) as Record<string, unknown>;
  return { ...rest, ...($setOnInsert && { $setOnInsert: onInsert }), $inc: { ...rest.$inc, [REVISION]: 1 } };
}

/** Options of an index that holds only documents in which a path is present. */
export const ifPresent = (path: string) => ({ partialFilterExpression: { [path]: { $exists: true } } });

/** A new `_id`: 24 hexadecimal digits, rising with time within a process. */
export const newId = (): string => new ObjectId().toHexString();

/**
 * Free-form JSON on its way through Mongoose, which otherwise clones it: it drops keys such as `prototype`, and takes an
 * object with a key such as `$__` for one of its own documents.
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

/** Makes writes through the model of a schema store its free-form values as they are given. */
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
