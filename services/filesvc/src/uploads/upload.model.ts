import { ifPresent, modelOf } from '@dtplatform/mongo';
import { Upload } from './upload.js';

export const uploadModel = modelOf('uploads', Upload, {
  indexes: [
    { key: { 'lease.until': 1, touchedAt: 1 }, name: 'lease_end', ...ifPresent('lease.until') },
    { key: { touchedAt: 1 }, name: 'abandoned' },
    { key: { isCompleting: 1, touchedAt: 1 }, name: 'completing', partialFilterExpression: { isCompleting: true } },
  ],
});
