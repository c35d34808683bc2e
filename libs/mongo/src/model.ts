import mongoose from 'mongoose';
import type {
  Model,
  PipelineStage,
  SchemaDefinitionProperty,
  UpdateQuery,
  UpdateWithAggregationPipeline,
} from 'mongoose';
import { keepJson } from './json.js';

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
// A required text may be empty; Mongoose would refuse that.
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
/** Free-form JSON, stored as it is given (json.ts). */
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
