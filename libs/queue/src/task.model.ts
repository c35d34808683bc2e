import { defineModel, flag, id, ifPresent, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { LeaseState } from '@dtplatform/lease';
import type { Task, TaskResponse } from './task-document.js';

export const taskModel = defineModel<Task>(
  'async_tasks',
  {
    _id: id,
    _reqBodySize: number,
    _batchCompleted: number,
    _total: Number,
    _status: text,
    _timeTakenInSecs: number,
    _response: part<TaskResponse>({
      externalStorage: flag,
      _body: text,
      _statusMsg: text,
      _status: number,
      _headers: json,
    }),
    _namespaces: optionalArray(String),
    _kind: text,
    _input: json,
    _createdById: text,
    _metadata: part<Task['_metadata']>({ _createdAt: number, _updatedAt: number }),
    _lease: part<LeaseState>({ fence: number, until: Date }),
  },
  {
    indexes: [
      { key: { _namespaces: 1 }, name: 'namespaces' },
      { key: { '_lease.until': 1 }, name: 'lease_end', ...ifPresent('_lease.until') },
    ],
  },
);
