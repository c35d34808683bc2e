import type { Expression } from '../query/expression.js';
import type { Projection } from '../query/projection.js';
import type { SortOrder } from '../query/sort-order.js';
import type { Owner, Readable } from '../relateditems/ports.js';
import type { RelatedItem, Relations } from '../relateditems/related-item.js';

/** A related item that names others, or is named by them: those of a page. */
export interface Match {
  _id: string;
  /** The collection that it is in. */
  itemId: string;
  /** Ids of the items of the page that it names; only of an inverse search. */
  _names?: string[];
}

interface Wanted {
  where?: Expression;
  sort: SortOrder;
}

/** Reads of related items that follow their relations. */
export interface SearchStore {
  /** What items of one version say of their relations, by their ids. */
  relationsOf(owner: Owner, ids: string[]): Promise<Map<string, Relations>>;
  /** Those of these items that are in the collections. @throws 400 when there are too many */
  findNamed(ids: string[], collections: Readable[], wanted: Wanted): Promise<Match[]>;
  /** The items in the collections that name some of these, which are in one collection. @throws 400 when there are too many */
  findNaming(ids: string[], collectionId: string, collections: Readable[], wanted: Wanted): Promise<Match[]>;
  /** Items by their ids. */
  read(ids: string[], project: Projection | undefined): Promise<Map<string, Partial<RelatedItem>>>;
  /** Their size, as they are stored. */
  bytesOf(items: object[]): number;
  /** The values of a field, in their order. @throws 400 when there are too many */
  distinct(collection: Readable, where: Expression | undefined, field: string): Promise<unknown[]>;
}
