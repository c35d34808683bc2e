import { modelOf } from '@dtplatform/mongo';
import { OlderVersion } from '../../domain/versions/version.js';

/** The versions of items that are no longer their tips. */
export const versionModel = modelOf('item_versions', OlderVersion, {
  indexes: [
    { key: { _userItemDbId: 1, _version: -1 }, name: 'item', unique: true },
    { key: { '_userAttributes.$**': 1 }, name: 'attributes' },
  ],
});
