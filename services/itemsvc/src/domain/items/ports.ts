import type { Scope } from '@dtplatform/permissions';
import type { Found, ListQuery } from '../list-query.js';
import type { Projection } from '../query/projection.js';
import type { Item, ShownItem, Version } from './item.js';
import type { VersionDraft, Writing } from './new-item.js';

/** What a PUT of an item sets. */
export type ItemChange = Pick<Item, '_name' | '_description' | '_namespaces' | '_userType'>;

/** Which versions a reply shows instead of the tip alone: all, or those with these numbers and ids. */
export type VersionChoice = 'all' | { numbers: number[]; ids: string[] };

/** Looks at an item as it is when it is written to. Throws what keeps it as it is. */
export type Inspect = (item: Item) => void;

/** Where items and their versions are kept. Writes also tell the metrics. */
export interface ItemStore {
  newId(): string;
  /** @throws 400 when a version is larger than the database takes */
  checkSize(version: Version): void;
  /** All or none. */
  insert(items: Item[]): Promise<void>;
  /** An item of a namespace, by `_id` or `_userItemId`. With a projection its `_id` is there in any case. */
  find(id: string, namespace: string, projection?: Projection): Promise<Item | undefined>;
  list(query: ListQuery, scope: Scope): Promise<Found<ShownItem>>;
  /** False when the item is gone. */
  update(id: string, change: ItemChange, writing: Writing, inspect: Inspect): Promise<boolean>;
  /** Takes the item away at once; its older versions and related items follow. False when it is gone. */
  remove(id: string, inspect: Inspect): Promise<boolean>;
  /** Undefined when the item is gone. */
  addVersion(id: string, draft: VersionDraft, writing: Writing, inspect: Inspect): Promise<Version | undefined>;
  listVersions(item: Item, query: ListQuery): Promise<Found<Version>>;
  /** The chosen versions of an item, newest first; undefined when a projection of the item leaves no versions. */
  versionsOf(itemId: string, choice: VersionChoice, projection?: Projection): Promise<Partial<Version>[] | undefined>;
  findOlderVersion(itemId: string, versionId: string): Promise<Version | undefined>;
}
