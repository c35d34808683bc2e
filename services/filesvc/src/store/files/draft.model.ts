import { defineModel, id, text } from '@dtplatform/mongo';
import type { Draft } from '../../domain/files/file.js';

export const draftModel = defineModel<Draft>('upload_drafts', {
  _id: id,
  key: text,
  multipartId: String,
  touchedAt: Date,
});
draftModel.schema.index({ touchedAt: 1 }, { name: 'abandoned' });
