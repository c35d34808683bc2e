import type { EntryOf, Schemas } from '@dtplatform/sdk';
import type { MessageKey } from '../messages/en';

export type Item = Schemas['Item'];
export type Row = EntryOf<'itemsvc.relatedItems.list'>;

/** What kinds of items there are. */
export const CLASSES: Record<Item['_itemClass'], MessageKey> = {
  NamedUserCollection: 'items.userCollection',
  NamedFileCollection: 'items.fileCollection',
  NamedTelemetryCollection: 'items.telemetryCollection',
  NamedCompositeItem: 'items.composite',
  Script: 'items.script',
  UserConfig: 'items.userConfig',
};
export const isCollection = ({ _itemClass }: Item) => _itemClass.endsWith('Collection');

/** The field that each item of a collection must have. */
export const REQUIRED: Partial<Record<Item['_itemClass'], string>> = {
  NamedTelemetryCollection: '_sourceId',
  NamedFileCollection: '_fileId',
};

/** The most items that a call reads or adds at once. */
export const MAX_ITEMS = 1000;

/** The query parameters of the platform's lists. */
export const sortBy = (field: string, isDescending: boolean) => ({
  sort: JSON.stringify({ [field]: isDescending ? -1 : 1 }),
});
export const containsText = (fields: string[], typed: string) => ({
  query: JSON.stringify({
    $or: fields.map((field) => ({
      [field]: { $regex: typed.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), $options: 'i' },
    })),
  }),
});

/** What callers may change of an item of a collection. */
export const contentOf = ({ _id, _metadata, ...content }: Row): object => content;
