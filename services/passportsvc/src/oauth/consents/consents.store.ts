import { listPage, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Consent } from './consent.js';
import type { ConsentStore } from './consents.js';

export const consentModel = modelOf('consents', Consent, {
  indexes: [
    { key: { _userId: 1, _id: 1 }, name: 'user' },
    { key: { _appId: 1 }, name: 'app' },
  ],
});

/** A consent that counts. */
const valid = { _revoked: false };

export function createConsentStore(mongo: Mongo): ConsentStore {
  const consents = mongo.model(consentModel);

  return {
    covers: async (_id, destination) => (await consents.exists({ _id, _destinations: destination, ...valid })) !== null,
    async add(consent) {
      const { _id, _appName, _orgName, _destinations, _metadata } = consent;
      const { matchedCount } = await consents.updateOne(
        { _id, ...valid },
        {
          $set: { _appName, _orgName, '_metadata._updatedAt': _metadata._updatedAt },
          $addToSet: { _destinations: { $each: _destinations } },
        },
      );
      if (matchedCount === 0) await consents.replaceOne({ _id }, consent, { upsert: true });
    },
    list: (_userId, paging) => listPage(consents, { _userId, ...valid }, { paging }),
    markRevoked: async (_id) => (await consents.updateOne({ _id }, { $set: { _revoked: true } })).matchedCount === 1,
    removeOfUser: async (_userId) => void (await consents.deleteMany({ _userId })),
    removeRevoked: async (_id) => void (await consents.deleteOne({ _id, _revoked: true })),
  };
}
