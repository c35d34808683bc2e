import { trusted } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { AuthorizationStore, CodeProof } from '../../domain/oauth/ports.js';
import { authorizationModel } from './authorization.model.js';

/**
 * One document per authorization, so that each state change is one conditional update: a request that is not entitled to
 * a code or refresh token cannot use it up, and of concurrent requests with the same one only one succeeds.
 */
export function createAuthorizationStore(mongo: Mongo): AuthorizationStore {
  const authorizations = mongo.model(authorizationModel);
  const change = async (filter: Filter, $set: object) =>
    (await authorizations.findOneAndUpdate(filter, { $set }, { returnDocument: 'after' }).lean()) ?? undefined;

  return {
    insert: async (authorization) => void (await authorizations.insertMany([authorization])),
    redeem: (proof, needsSecret, expiresAt) =>
      change(
        { ...provenBy(proof), generation: 0, 'code.expiresAt': inFuture() },
        { generation: 1, needsSecret, expiresAt },
      ),
    findRedeemed: async (proof) =>
      (await authorizations.findOne({ ...provenBy(proof), generation: trusted({ $gt: 0 }) }).lean()) ?? undefined,
    hasChallenge: async (codeHash) =>
      (await authorizations.exists({ 'code.hash': codeHash, 'code.challenge': trusted({ $ne: null }) })) !== null,
    rotate: ({ id, generation, clientId }, isAuthenticated, expiresAt) =>
      change(
        {
          _id: id,
          generation,
          clientId,
          expiresAt: inFuture(),
          ...(isAuthenticated ? {} : { needsSecret: false }),
        },
        { generation: generation + 1, expiresAt },
      ),
    find: async (id) => (await authorizations.findById(id).lean()) ?? undefined,
    remove: async (id) => void (await authorizations.deleteOne({ _id: id })),
    useUp: async (id, expiresAt) => void (await change({ _id: id }, { generation: 1, expiresAt })),
    async listIds({ accountId, clientId }, limit) {
      const filter = { accountId, ...(clientId !== undefined && { clientId }) };
      return (await authorizations.find(filter, { _id: 1 }).limit(limit).lean()).map(({ _id }) => _id);
    },
    removeAll: async (ids) => void (await authorizations.deleteMany({ _id: trusted({ $in: ids }) })),
  };
}

const inFuture = () => trusted({ $gt: new Date() });

const provenBy = ({ codeHash, clientId, redirectUri, challenge }: CodeProof): Filter => ({
  'code.hash': codeHash,
  'code.redirectUri': redirectUri,
  'code.challenge': challenge ?? null,
  clientId,
});
