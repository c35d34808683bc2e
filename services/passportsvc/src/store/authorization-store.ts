import type { Db, Filter } from 'mongodb';
import type { Authorization, AuthorizationStore } from '../oauth/authorization.js';

/**
 * One document per authorization, so that each step of its life is one conditional update: what a request is not
 * entitled to it cannot use up, and of two requests with the same code or refresh token one alone succeeds.
 */
export function createAuthorizationStore(db: Db): AuthorizationStore {
  const authorizations = db.collection<Authorization>('authorizations');

  return {
    open: async (authorization) => void (await authorizations.insertOne(authorization)),
    redeem: async (proof, needsSecret, expiresAt) =>
      (await authorizations.findOneAndUpdate(
        { ...provenBy(proof), generation: 0, 'code.expiresAt': { $gt: new Date() } },
        { $set: { generation: 1, needsSecret, expiresAt } },
        { returnDocument: 'after' },
      )) ?? undefined,
    isRedeemed: async (proof) =>
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

const provenBy = ({
  codeHash,
  clientId,
  redirectUri,
  challenge,
}: Parameters<AuthorizationStore['redeem']>[0]): Filter<Authorization> => ({
  'code.hash': codeHash,
  'code.redirectUri': redirectUri,
  'code.challenge': challenge ?? null,
  clientId,
});
