import type { Paging } from '@dtplatform/contracts';
import type { Expression } from '../query/expression.js';
import type { Projection, SortOrder } from '../query/parse-query.js';

/** Selects the collections of a search by conditions on items, and optionally a version. */
export interface CollectionDesc {
  where?: Expression;
  versionId?: string;
}

interface RelatedItemQuery {
  where?: Expression;
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}

export interface FindInCollections extends RelatedItemQuery {
  collectionDesc: CollectionDesc;
}

/** Related items of the ones found. */
export interface Relation extends RelatedItemQuery {
  /** `_userType` of the collections with the related items. */
  relatedUserType: string;
  /** Follows relations backwards: to items that name the ones found. */
  isInverse: boolean;
  /** The field of the response for the related items. */
  as: string;
}

export interface FindWithRelated {
  parent: FindInCollections;
  related: Relation[];
}

/** The distinct values of fields. */
export interface DistinctFields {
  collectionDesc: CollectionDesc;
  where?: Expression;
  fields: string[];
}

/** A related item at either end of a relation to the items of a page. */
export interface Match {
  _id: string;
  /** Its collection. */
  itemId: string;
  /** Ids of the page's items that it names; only in an inverse search. */
  _names?: string[];
}

export interface Wanted {
  where?: Expression;
  sort: SortOrder;
}
