import type { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { countedPageOf, pagingParameters } from '@dtplatform/http';
import { ShownVersion } from '../../domain/files/file.js';
import { ContextQuery, FileParams, MAX_PAGE_SIZE } from '../files/files.schemas.js';

export const VersionParams = FileParams.extend({ versionId: ResourceId.describe('The id of the version.') });
export type VersionParams = z.infer<typeof VersionParams>;
export const ListVersionsQuery = ContextQuery.extend(pagingParameters({ maxSize: MAX_PAGE_SIZE }));
export const VersionPage = countedPageOf(ShownVersion).meta({
  id: 'FileVersionPage',
  description: 'A page of versions.',
});
