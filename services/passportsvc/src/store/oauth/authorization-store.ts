import type { Mongo } from '@dtplatform/mongo';
import { coalesce, SHARED_WRITE } from '@dtplatform/queue';
import type { Authorization } from '../../domain/oauth/authorization.js';
import type { AuthorizationStore, CodeProof } from '../../domain/oauth/ports.js';
import { authorizationModel } from './authorization.model.js';

/**
 * One document per authorization, so that each state change is one conditional update: a request that is not entitled to
 * a code or refresh token cannot use it up, and of concurrent requests with the same one only one succeeds. The driver's
 * collection, for speed (bench row `code-and-refresh`): all values are this service's own, or texts.
 */
export function createAuthorizationStore(mongo: Mongo): AuthorizationStore {
  const authorizations = mongo.db.collection<Authorization>(authorizationModel.collection);
  const change = async (filter: object, $set: Partial<Authorization>) =>
    (await authorizations.findOneAndUpdate(filter, { $set }, { returnDocument: 'after' })) ?? undefined;

  return {
    // Requests at the same time share an insert.
    insert: coalesce(async (added: Authorization[]) => void (await authorizations.insertMany(added)), SHARED_WRITE),
    redeem: (proof, needsSecret, expiresAt) =>
      change(
        { ...provenBy(proof), generation: 0, 'code.expiresAt': inFuture() },
        { generation: 1, needsSecret, expiresAt },
      ),
    findRedeemed: async (proof) =>
      (await authorizations.findOne({ ...provenBy(proof), generation: { $gt: 0 } })) ?? undefined,
    hasChallenge: async (codeHash) =>
      (await authorizations.countDocuments({ 'code.hash': codeHash, 'code.challenge': { $ne: null } })) > 0,
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
    find: async (id) => (await authorizations.findOne({ _id: id })) ?? undefined,
    remove: async (id) => void (await authorizations.deleteOne({ _id: id })),
    useUp: async (id, expiresAt) => void (await change({ _id: id }, { generation: 1, expiresAt })),
    async listIds({ accountId, clientId }, limit) {
      const filter = { accountId, ...(clientId !== undefined && { clientId }) };
      return authorizations
        .find(filter, { projection: { _id: 1 } })
        .limit(limit)
        .map(({ _id }) => _id)
        .toArray();
    },
    removeAll: async (ids) => void (await authorizations.deleteMany({ _id: { $in: ids } })),
  };
}

const inFuture = () => ({ $gt: new Date() });

const provenBy = ({ codeHash, clientId, redirectUri, challenge }: CodeProof) => ({
  'code.hash': codeHash,
  'code.redirectUri': redirectUri,
  'code.challenge': challenge ?? null,
  clientId,
});
