import { ifPresent, modelOf } from '@dtplatform/mongo';
import { Load } from './load.js';

export const loadModel = modelOf('filestore_loads', Load, {
  indexes: [
    { key: { _fileId: 1, '_work.latestAt': -1, _requestedAt: -1 }, name: 'default_of_file' },
    { key: { '_work.namespace': 1 }, name: 'namespace' },
    { key: { '_work.multipartId': 1 }, name: 'multipart', ...ifPresent('_work.multipartId') },
    { key: { _status: 1, '_work.usedAt': 1, _size: 1 }, name: 'eviction' },
  ],
});
