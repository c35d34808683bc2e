import { defineModel, flag, id, number, part, text } from '@dtplatform/mongo';
import type { Consent } from '../../domain/consents/consent.js';

export const consentModel = defineModel<Consent>('consents', {
  _id: id,
  _userId: text,
  _appId: text,
  _appName: text,
  _orgId: text,
  _orgName: text,
  _destinations: [String],
  _metadata: part<Consent['_metadata']>({ _createdAt: number, _updatedAt: number }),
  _revoked: flag,
});

consentModel.schema.index({ _userId: 1, _id: 1 }, { name: 'user' }).index({ _appId: 1 }, { name: 'app' });
