/** A stored resource with a revision that grows with every write; its ETag. */
export interface Revised {
  _revision: number;
}

/**
 * The revisions that permit a write (`If-Match`); undefined permits any. Stores check it as part of the write, so that
 * only one of two concurrent writers succeeds.
 */
export type Precondition = readonly number[] | undefined;

/** For a resource that was read in the transaction of the write. */
export const matchesPrecondition = (resource: Revised, precondition: Precondition): boolean =>
  precondition === undefined || precondition.includes(resource._revision);
