import type { Db, Filter } from 'mongodb';
import type { Authorization } from '../../domain/oauth/authorization.js';
import type { AuthorizationStore, CodeProof } from '../../domain/oauth/ports.js';

/**
 * One document per authorization, so that each state change is one conditional update: a request that is not entitled to
 * a code or refresh token cannot use it up, and of concurrent requests with the same one only one succeeds.
 */
export function createAuthorizationStore(db: Db): AuthorizationStore {
  const authorizations = db.collection<Authorization>('authorizations');

  return {
    insert: async (authorization) => void (await authorizations.insertOne(authorization)),
    redeem: async (proof, needsSecret, expiresAt) =>
      (await authorizations.findOneAndUpdate(
        { ...provenBy(proof), generation: 0, 'code.expiresAt': { $gt: new Date() } },
        { $set: { generation: 1, needsSecret, expiresAt } },
        { returnDocument: 'after' },
      )) ?? undefined,
    findRedeemed: async (proof) =>
      (await authorizations.findOne({ ...provenBy(proof), generation: { $gt: 0 } })) ?? undefined,
    rotate: async ({ id, generation, clientId }, isAuthenticated, expiresAt) =>
      (await authorizations.findOneAndUpdate(
        {
          _id: id,
          generation,
          clientId,
          expiresAt: { $gt: new Date() },
          ...(isAuthenticated ? {} : { needsSecret: false }),
        },
        { $set: { generation: generation + 1, expiresAt } },
        { returnDocument: 'after' },
      )) ?? undefined,
    find: async (id) => (await authorizations.findOne({ _id: id })) ?? undefined,
    remove: async (id) => void (await authorizations.deleteOne({ _id: id })),
  };
}

const provenBy = ({ codeHash, clientId, redirectUri, challenge }: CodeProof): Filter<Authorization> => ({
  'code.hash': codeHash,
  'code.redirectUri': redirectUri,
  'code.challenge': challenge ?? null,
  clientId,
});
