import { z } from 'zod';
import { fewNamespaces } from '@dtplatform/contracts';
import { booleanParameter, listParameter, nsfilter, pageOf } from '@dtplatform/http';
import { NewItem, ProjectedItem, ShownItem } from '../../domain/nameduseritems/item.js';
import type { VersionChoice } from '../../domain/versions/version.js';
import { createdPageOf } from '../created-page.js';
import { listParameters, projectParameter } from '../list-parameters.js';

const MAX_ENTRIES = 1000;
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const ItemParams = z.object({
  id: z.string().min(1).max(128).describe('The `_id` or `_userItemId` of the item.'),
});

const transactional = booleanParameter.default(false);
/** Of a call that writes one thing. */
export const WriteQuery = z.object({
  nsfilter,
  transactional: transactional.describe('Has no effect: the call always writes everything or nothing.'),
});
/** Of a call that writes several entries. */
export const WriteManyQuery = z.object({
  nsfilter,
  transactional: transactional.describe(
    'Whether all entries are written or none; by default, those that cannot be stored are left out and listed in `_failures`.',
  ),
});

const VersionId = z.string().min(1).max(128).optional();
/** For what belongs to a version. */
export const userItemVersionId = VersionId.describe(
  'The id of the version that the call is about; the latest by default.',
);
export const ListItemsQuery = z.object({
  ...listParameters,
  query: listParameters.query.describe(
    'JSON: up to 200 conditions in the query language of MongoDB, such as `{"_userType": "door"}`; `"_versions.all": true` beside them extends query and reply to all versions.',
  ),
  userItemVersionId: VersionId.describe(
    'The id of a version: only its item, with this version in place of the latest.',
  ),
});
export const ListVersionsQuery = z.object({
  ...listParameters,
  userItemVersionId: VersionId.describe('The id of a version: only this version.'),
});
export const UpdateLogsQuery = z.object({
  nsfilter,
  userItemVersionId: VersionId.describe('The id of a version: only its changes, even if it has been deleted.'),
});
export const GetItemQuery = z.object({
  nsfilter,
  project: projectParameter,
  '_versions.all': booleanParameter.optional().describe('Whether the item has all its versions, newest first.'),
  versions: listParameter(z.string().max(32))
    .optional()
    .describe('Numbers or ids of the versions that the item has instead of the latest, separated by commas.'),
});

export const CreateItemsBody = z
  .array(NewItem)
  .min(1)
  .max(MAX_ENTRIES)
  .refine(...fewNamespaces(({ _namespaces }: NewItem) => _namespaces));
export const CreatedItems = createdPageOf(ShownItem).meta({
  id: 'CreatedItems',
  description: 'The items that were created.',
});
export const ItemPage = pageOf(ProjectedItem).meta({ id: 'ItemPage', description: 'A page of items.' });

/** Which versions a call asks for, besides the tip. */
export function versionChoiceOf({
  '_versions.all': all,
  versions,
}: z.infer<typeof GetItemQuery>): VersionChoice | undefined {
  if (all) return 'all';
  if (!versions) return undefined;
  const isNumber = (version: string) => /^\d{1,9}$/.test(version);
  return {
    numbers: versions.filter(isNumber).map(Number),
    ids: versions.filter((version) => !isNumber(version)),
  };
}
