import { defineModel, id, metadataWithoutNames, number, part, text } from '@dtplatform/mongo';
import type { Item } from '../../domain/nameduseritems/item.js';
import type { Version } from '../../domain/versions/version.js';
import { versionPaths } from '../versions/version.model.js';

/** Items, each with its tip inside. */
export const itemModel = defineModel<Item>('items', {
  _id: id,
  _userItemId: text,
  _uri: text,
  _irn: text,
  _name: text,
  _shortName: text,
  _description: String,
  _namespaces: [String],
  _home: text,
  _userType: text,
  _itemClass: text,
  _kind: String,
  _tsProperties: part<NonNullable<Item['_tsProperties']>>({ _granularity: String, _expiry: Number }),
  _tipId: text,
  _tipVersion: number,
  _nextVersion: number,
  _versionsCount: number,
  _tip: part<Version>(versionPaths),
  _metadata: metadataWithoutNames,
  _revision: number,
});

// Lists are in the order of `_id` unless the caller sorts, so it ends the indexes that serve them.
itemModel.schema
  .index({ _userItemId: 1 }, { name: 'user_item_id', unique: true })
  .index({ _namespaces: 1, _id: 1 }, { name: 'namespace' })
  .index({ _namespaces: 1, _itemClass: 1, _id: 1 }, { name: 'class' })
  .index({ _namespaces: 1, _userType: 1, _id: 1 }, { name: 'user_type' })
  .index({ _namespaces: 1, _name: 1, _id: 1 }, { name: 'name' })
  .index({ '_tip._userAttributes.$**': 1 }, { name: 'attributes' });
