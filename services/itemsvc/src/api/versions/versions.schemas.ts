import { z } from 'zod';
import { nsfilter } from '@dtplatform/http';
import { ItemParams } from '../nameduseritems/nameduseritems.schemas.js';

export const VersionParams = ItemParams.extend({ versionId: z.string().min(1).max(128) });
export const GetVersionQuery = z.object({ nsfilter });
