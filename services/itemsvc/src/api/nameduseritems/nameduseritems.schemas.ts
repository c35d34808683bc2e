import { z } from 'zod';
import { fewNamespaces } from '@dtplatform/contracts';
import { booleanParameter, listParameter, nsfilter, pageOf } from '@dtplatform/http';
import { NewItem, ProjectedItem, ShownItem } from '../../domain/nameduseritems/item.js';
import type { VersionChoice } from '../../domain/versions/version.js';
import { createdPageOf } from '../created-page.js';
import { listParameters, projectParameter } from '../list-parameters.js';

const MAX_ENTRIES = 1000;
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const ItemParams = z.object({ id: z.string().min(1).max(128) });
export const WriteQuery = z.object({ nsfilter, transactional: booleanParameter.default(false) });
/** The version that a call is about; for what belongs to a version, the tip by default. */
export const userItemVersionId = z.string().min(1).max(128).optional();
export const ListItemsQuery = z.object({ ...listParameters, userItemVersionId });
export const GetItemQuery = z.object({
  nsfilter,
  project: projectParameter,
  '_versions.all': booleanParameter.optional(),
  /** Numbers or ids of versions. */
  versions: listParameter(z.string().max(32)).optional(),
});

export const CreateItemsBody = z
  .array(NewItem)
  .min(1)
  .max(MAX_ENTRIES)
  .superRefine(fewNamespaces(({ _namespaces }) => _namespaces));
export const CreatedItems = createdPageOf(ShownItem);
export const ItemPage = pageOf(ProjectedItem);

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
