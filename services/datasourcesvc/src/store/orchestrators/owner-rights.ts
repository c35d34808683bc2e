import { allows } from '@dtplatform/permissions';
import type { GrantCache } from '@dtplatform/permissions';
import type { OwnerRights } from '../../domain/orchestrators/ports.js';

/** What owners of schedules may currently do. */
export const ownerRights = (grantCache: Pick<GrantCache, 'peek'>): OwnerRights => ({
  async mayRun({ id, type }, irn, namespace) {
    const lookup = await grantCache.peek({ _type: type, _id: id });
    return allows(await lookup.grants(namespace), 'RUN', irn);
  },
});
