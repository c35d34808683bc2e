import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Consent } from './consent.js';

export const consentModel = modelOf('consents', Consent, {
  indexes: [
    { key: { _userId: 1, _id: 1 }, name: 'user' },
    { key: { _appId: 1 }, name: 'app' },
  ],
});

const valid = { _revoked: false };

export function createConsentStore(mongo: Mongo) {
  const consents = mongo.model(consentModel);

  return {
    covers: async (_id: string, destination: string): Promise<boolean> =>
      (await consents.exists({ _id, _destinations: destination, ...valid })) !== null,
    /** Adds the consent, or its destinations to an existing one. */
    async add(consent: Consent): Promise<void> {
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
    list: (_userId: string, paging: Paging): Promise<Listing<Consent>> =>
      listPage(consents, { _userId, ...valid }, { paging }),
    /** Invalidates a consent. @returns whether it existed */
    markRevoked: async (_id: string): Promise<boolean> =>
      (await consents.updateOne({ _id }, { $set: { _revoked: true } })).matchedCount === 1,
    removeOfUser: async (_userId: string): Promise<void> => void (await consents.deleteMany({ _userId })),
    /** Keeps a consent that the user has given again. */
    removeRevoked: async (_id: string): Promise<void> => void (await consents.deleteOne({ _id, _revoked: true })),
  };
}

export type ConsentStore = ReturnType<typeof createConsentStore>;
