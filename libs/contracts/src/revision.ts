/** A stored resource whose revision rises with every write. It is the ETag of the resource. */
export interface Revised {
  _revision: number;
}

/**
 * The revisions on which a write may happen (`If-Match`); undefined for any. A store makes it part of the write, so that
 * of two writers that expect the same revision only one succeeds.
 */
export type Precondition = readonly number[] | undefined;

/** Whether a resource that was just read, in the transaction of the write, meets the precondition. */
export const matchesPrecondition = (resource: Revised, precondition: Precondition): boolean =>
  precondition === undefined || precondition.includes(resource._revision);
