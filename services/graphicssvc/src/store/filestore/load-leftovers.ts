import { exists, noneOf } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';
import { UNENDED } from '../../domain/filestore/load.js';
import type { Load } from '../../domain/filestore/load.js';
import type { LoadStore } from '../../domain/filestore/ports.js';

const HAS_ENDED = { _status: noneOf(UNENDED) };

/** Loads that have ended, with unfinished multipart uploads. */
export const loadLeftovers = (loads: Model<Load>): Pick<LoadStore, 'findLeftovers' | 'forgetMultipart'> => ({
  findLeftovers: (limit) =>
    loads
      .find({ ...HAS_ENDED, '_work.multipartId': exists() })
      .limit(limit)
      .lean(),
  async forgetMultipart({ _id, _work: { multipartId } }) {
    const filter = { ...HAS_ENDED, _id, '_work.multipartId': multipartId };
    await loads.updateOne(filter, { $unset: { '_work.multipartId': 1 } });
  },
});
