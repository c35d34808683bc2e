import type { Paging } from '@dtplatform/contracts';
import type { Expression } from '../query/expression.js';
import type { Projection, SortOrder } from '../query/parse-query.js';

/** Which collections a search reads: conditions on items, and a version other than the latest. */
export interface CollectionDesc {
  where?: Expression;
  versionId?: string;
}

/** Which related items of a collection a search shows. */
interface RelatedItemQuery {
  where?: Expression;
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}

/** Related items in collections. */
export interface FindInCollections extends RelatedItemQuery {
  collectionDesc: CollectionDesc;
}

/** What is related to the items that are found. */
export interface Relation extends RelatedItemQuery {
  /** `_userType` of the collections that they are related to. */
  relatedUserType: string;
  /** Items that name those that are found, instead of those that these name. */
  isInverse: boolean;
  /** The field that shows them. */
  as: string;
}

/** Related items in collections, each with what is related to it. */
export interface FindWithRelated {
  parent: FindInCollections;
  related: Relation[];
}

/** The values of fields of related items. */
export interface DistinctFields {
  collectionDesc: CollectionDesc;
  where?: Expression;
  fields: string[];
}

/** A related item that names others, or is named by them: those of a page. */
export interface Match {
  _id: string;
  /** The collection that it is in. */
  itemId: string;
  /** Ids of the items of the page that it names; only of an inverse search. */
  _names?: string[];
}

export interface Wanted {
  where?: Expression;
  sort: SortOrder;
}
