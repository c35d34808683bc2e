import mongoose from 'mongoose';

/**
 * Marks operators in a filter as made by a store: `{ _tags: trusted({ $all: tags }) }`. Elsewhere in a filter they come
 * from a caller, and Mongoose compares with them as plain values (`sanitizeFilter`). For the usual operators there are the
 * functions below: `{ _id: oneOf(ids), dueAt: notAfter(now) }`.
 */
export const trusted = <T extends object>(operators: T): T => mongoose.trusted(operators as never);

/** Matches a field that is one of the values, or an array that holds one of them. */
export const oneOf = <T>(values: readonly T[] | ReadonlySet<T>) => trusted({ $in: [...values] });

/** Matches a field that is none of the values. */
export const noneOf = <T>(values: readonly T[] | ReadonlySet<T>) => trusted({ $nin: [...values] });

/** Matches a field that is not the value, also one that is absent. */
export const not = <T>(value: T) => trusted({ $ne: value });

/** Matches what comes before the value: earlier times, lower numbers, texts that sort before it. */
export const before = <T>(value: T) => trusted({ $lt: value });

/** Matches what comes before the value, and the value. */
export const notAfter = <T>(value: T) => trusted({ $lte: value });

/** Matches what comes after the value: later times, higher numbers, texts that sort after it. */
export const after = <T>(value: T) => trusted({ $gt: value });

/** Matches a field that is present, whatever its value. */
export const exists = () => trusted({ $exists: true });

/** Matches a field that is not present. */
export const absent = () => trusted({ $exists: false });
