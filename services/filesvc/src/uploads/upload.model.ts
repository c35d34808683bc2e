import type { LeaseState } from '@dtplatform/lease';
import { defineModel, flag, id, ifPresent, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { PartRecord, Upload } from './upload.js';

export const uploadModel = defineModel<Upload>('uploads', {
  _id: id,
  fileId: text,
  status: text,
  size: number,
  checksum: text,
  author: part<Upload['author']>({ id: text, name: String }),
  tags: optionalArray(String),
  key: text,
  restarts: number,
  contentType: text,
  contentEncoding: String,
  partBytes: number,
  multipartId: String,
  parts: [part<PartRecord>({ partNumber: number, etag: text, size: number })],
  nextPartNumber: number,
  tail: part<NonNullable<Upload['tail']>>({ fence: number, size: number }),
  offset: number,
  isCompleting: flag,
  lease: part<LeaseState>({ fence: number, until: Date }),
  looseTails: [Number],
  touchedAt: Date,
});
uploadModel.schema
  .index({ 'lease.until': 1, touchedAt: 1 }, { name: 'lease_end', ...ifPresent('lease.until') })
  .index({ touchedAt: 1 }, { name: 'abandoned' })
  .index({ isCompleting: 1, touchedAt: 1 }, { name: 'completing', partialFilterExpression: { isCompleting: true } });
