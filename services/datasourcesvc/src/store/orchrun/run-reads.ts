import { keyLoader, listPage, oneOf, scopeFilter, trusted } from '@dtplatform/mongo';
import type { Filter, Model } from '@dtplatform/mongo';
import type { RunFilter, RunStore, RunSummary } from '../../domain/orchrun/ports.js';
import type { Run } from '../../domain/orchrun/run.js';
import { timestampText } from './timestamp-text.js';

const WITHOUT_PARAMETERS = { 'orchrunsteps._actualparams': 0 } as const;
const FOLLOWED_STEP = { $unsetField: { field: '_actualparams', input: '$$this' } };
const FOLLOWED = {
  $mergeObjects: ['$$ROOT', { orchrunsteps: { $map: { input: '$orchrunsteps', in: FOLLOWED_STEP } } }],
};
const SUMMARY = { _orchid: 1, _namespaces: 1, _status: 1, _revision: 1, bytes: { $bsonSize: FOLLOWED } };
/** What lists leave out. */
const WITHOUT_DETAILS = { 'orchrunsteps._log': 0, 'orchrunsteps._resulttext': 0 } as const;

/** Reads of runs. */
export const createRunReads = (runs: Model<Run>): Pick<RunStore, 'find' | 'findFollowed' | 'findSummary' | 'list'> => ({
  find: keyLoader(runs, '_id'),
  findFollowed: async (id) => (await runs.findById(id, WITHOUT_PARAMETERS).lean()) ?? undefined,
  findSummary: async (id) => (await runs.findById(id, SUMMARY).lean<RunSummary>()) ?? undefined,
  list: (scope, filter, paging) =>
    listPage(
      runs,
      { $and: [scopeFilter(scope, ['_orchid']), matching(filter)] },
      { paging, sort: { _createdat: -1, _id: -1 }, projection: WITHOUT_DETAILS },
    ),
});

const matching = ({ _status, _orchid, startDate = 0, endDate = Infinity }: RunFilter): Filter => ({
  ...(_status && { _status: oneOf(_status) }),
  ...(_orchid !== undefined && { _orchid }),
  _createdat: trusted({ $gte: timestampText(startDate), $lte: timestampText(endDate) }),
});
