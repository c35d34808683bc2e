import { coalesce, modelOf, newId, SHARED_WRITE } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Authorization } from './authorization.js';
import type { AuthorizationsOf, CodeProof } from './authorization.js';

export const authorizationModel = modelOf('authorizations', Authorization, {
  indexes: [
    { key: { 'code.hash': 1 }, name: 'code', unique: true },
    { key: { accountId: 1, clientId: 1 }, name: 'account' },
    { key: { clientId: 1 }, name: 'client' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

interface Change {
  key: { _id: string } | { 'code.hash': string };
  condition: object;
  $set: Partial<Authorization>;
}

/**
 * One document per authorization makes each state change one conditional update: a request that may not use a code or
 * refresh token cannot use it up, and of concurrent requests with the same one only one succeeds. Bypasses mongoose for
 * speed (bench row `code-and-refresh`): all values are the service's own, or strings.
 */
export function createAuthorizationStore(mongo: Mongo) {
  const authorizations = mongo.collection(authorizationModel);
  const changeOne = async ({ key, condition, $set }: Change) =>
    (await authorizations.findOneAndUpdate({ ...key, ...condition }, { $set }, { returnDocument: 'after' })) ??
    undefined;

  /** One write, then one query that shows which changes were applied. */
  async function changeAll(changes: Change[]): Promise<(Authorization | undefined)[]> {
    const marked = changes.map((change) => ({ ...change, changeId: newId() }));
    await authorizations.bulkWrite(
      marked.map(({ key, condition, $set, changeId }) => ({
        updateOne: { filter: { ...key, ...condition }, update: { $set: { ...$set, changeId } } },
      })),
      { ordered: false },
    );
    const found = await authorizations.find(havingKeys(changes)).toArray();
    const changed = new Map(found.map((authorization) => [authorization.changeId, authorization]));
    return marked.map(({ changeId }) => changed.get(changeId));
  }

  // Concurrent requests share a write.
  const change = coalesce(
    async (changes: Change[]) => (changes.length === 1 ? [await changeOne(changes[0]!)] : changeAll(changes)),
    // The condition of an applied change is no longer met.
    { ...SHARED_WRITE, concernsAll: () => true },
  );

  return {
    insert: coalesce(async (added: Authorization[]) => void (await authorizations.insertMany(added)), SHARED_WRITE),
    /** Redeems a code once; of concurrent calls only one succeeds. */
    redeem: (proof: CodeProof, needsSecret: boolean, expiresAt: Date): Promise<Authorization | undefined> =>
      change({
        key: { 'code.hash': proof.codeHash },
        condition: { ...provenBy(proof), generation: 0, 'code.expiresAt': inFuture() },
        $set: { generation: 1, needsSecret, expiresAt },
      }),
    /** The authorization whose code was redeemed before with the same proof. */
    findRedeemed: async (proof: CodeProof): Promise<Authorization | undefined> =>
      (await authorizations.findOne({ ...provenBy(proof), generation: { $gt: 0 } })) ?? undefined,
    /** Whether a code has a challenge, so that redeeming it needs the verifier. */
    hasChallenge: async (codeHash: string): Promise<boolean> =>
      (await authorizations.countDocuments({ 'code.hash': codeHash, 'code.challenge': { $ne: null } })) > 0,
    /**
     * Replaces the refresh token of this generation with the next, if it is the current one and the caller may refresh.
     */
    rotate: (
      { id, generation, clientId }: { id: string; generation: number; clientId: string },
      isAuthenticated: boolean,
      expiresAt: Date,
    ): Promise<Authorization | undefined> =>
      change({
        key: { _id: id },
        condition: { generation, clientId, expiresAt: inFuture(), ...(isAuthenticated ? {} : { needsSecret: false }) },
        $set: { generation: generation + 1, expiresAt },
      }),
    find: async (id: string): Promise<Authorization | undefined> =>
      (await authorizations.findOne({ _id: id })) ?? undefined,
    remove: async (id: string): Promise<void> => void (await authorizations.deleteOne({ _id: id })),
    /**
     * Uses up the code of an authorization whose token was issued without redeeming it, and keeps the authorization.
     */
    useUp: async (id: string, expiresAt: Date): Promise<void> =>
      void (await change({ key: { _id: id }, condition: {}, $set: { generation: 1, expiresAt } })),
    /** The authorizations that a user's apps refresh tokens with, newest first. */
    listRedeemed: (accountId: string, limit: number): Promise<Authorization[]> =>
      authorizations
        .find({ accountId, generation: { $gt: 0 }, expiresAt: inFuture() })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    async listIds({ accountId, clientId, id }: AuthorizationsOf, limit: number): Promise<string[]> {
      const filter = {
        accountId,
        ...(clientId !== undefined && { clientId }),
        ...(id !== undefined && { _id: id }),
      };
      return authorizations
        .find(filter, { projection: { _id: 1 } })
        .limit(limit)
        .map(({ _id }) => _id)
        .toArray();
    },
    removeAll: async (ids: string[]): Promise<void> => void (await authorizations.deleteMany({ _id: { $in: ids } })),
  };
}

export type AuthorizationStore = ReturnType<typeof createAuthorizationStore>;

function havingKeys(changes: Change[]) {
  const ids = changes.flatMap(({ key }) => ('_id' in key ? [key._id] : []));
  const hashes = changes.flatMap(({ key }) => ('_id' in key ? [] : [key['code.hash']]));
  return { $or: [{ _id: { $in: ids } }, { 'code.hash': { $in: hashes } }] };
}

const inFuture = () => ({ $gt: new Date() });

const provenBy = ({ codeHash, clientId, redirectUri, challenge }: CodeProof) => ({
  'code.hash': codeHash,
  'code.redirectUri': redirectUri,
  'code.challenge': challenge ?? null,
  clientId,
});
