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

/** A consent that counts. */
const valid = { _revoked: false };

export function createConsentStore(mongo: Mongo) {
  const consents = mongo.model(consentModel);

  return {
    /** Whether a consent that is not revoked covers the destination. */
    covers: async (_id: string, destination: string): Promise<boolean> =>
      (await consents.exists({ _id, _destinations: destination, ...valid })) !== null,
    /** Adds the consent, or its destinations to the one that the user gave the app before. */
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
    /** The user's consents that are not revoked. */
    list: (_userId: string, paging: Paging): Promise<Listing<Consent>> =>
      listPage(consents, { _userId, ...valid }, { paging }),
    /** Makes a consent count no longer. @returns whether there was one */
    markRevoked: async (_id: string): Promise<boolean> =>
      (await consents.updateOne({ _id }, { $set: { _revoked: true } })).matchedCount === 1,
    /** Removes all consents of a user. */
    removeOfUser: async (_userId: string): Promise<void> => void (await consents.deleteMany({ _userId })),
    /** Removes a consent, unless the user has given it again. */
    removeRevoked: async (_id: string): Promise<void> => void (await consents.deleteOne({ _id, _revoked: true })),
  };
}

export type ConsentStore = ReturnType<typeof createConsentStore>;
