import { z } from 'zod';
import { nsfilter, pageOf } from '@dtplatform/http';
import { ProjectedVersion } from '../../domain/versions/version.js';
import { ItemParams } from '../nameduseritems/nameduseritems.schemas.js';

export const VersionParams = ItemParams.extend({
  versionId: z.string().min(1).max(128).describe('The id of the version.'),
});
export const GetVersionQuery = z.object({ nsfilter });
export const VersionPage = pageOf(ProjectedVersion).meta({ id: 'VersionPage', description: 'A page of versions.' });
