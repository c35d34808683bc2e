import type { LeaseState } from '@dtplatform/lease';
import { defineModel, id, ifPresent, number, part, text } from '@dtplatform/mongo';
import type { Load } from './load.js';

export const loadModel = defineModel<Load>('filestore_loads', {
  _id: id,
  _fileId: text,
  _fileVersionId: text,
  _status: text,
  _size: number,
  _message: text,
  _requestedAt: number,
  _updatedAt: number,
  _work: part<Load['_work']>({
    namespace: text,
    requests: number,
    lease: part<LeaseState>({ fence: number, until: Date }),
    firstFence: number,
    multipartId: String,
    latestAt: Number,
    wasLoaded: Boolean,
    usedAt: number,
  }),
});

loadModel.schema
  .index({ _fileId: 1, '_work.latestAt': -1, _requestedAt: -1 }, { name: 'default_of_file' })
  .index({ '_work.namespace': 1 }, { name: 'namespace' })
  .index({ '_work.multipartId': 1 }, { name: 'multipart', ...ifPresent('_work.multipartId') })
  .index({ _status: 1, '_work.usedAt': 1, _size: 1 }, { name: 'eviction' });
