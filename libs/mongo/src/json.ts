import mongoose from 'mongoose';
import type { Schema } from 'mongoose';

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
export function keepJson(schema: AnySchema): void {
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
