const MIB = 1024 * 1024;

/** The smallest part that S3 accepts before the last one. */
export const MIN_PART_BYTES = 5 * MIB;
/** Parts have this size unless the content is very large. */
export const PART_BYTES = 8 * MIB;
/** The most parts that S3 accepts in one upload. */
export const MAX_PARTS = 10_000;
/** Leaves part numbers for parts that end early. */
const PLANNED_PARTS = 9_000;

/** The part size, in bytes, that keeps content of `size` bytes well below `MAX_PARTS`. */
export const partBytesFor = (size: number): number => Math.max(PART_BYTES, Math.ceil(size / PLANNED_PARTS / MIB) * MIB);
