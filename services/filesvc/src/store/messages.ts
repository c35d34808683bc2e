import { z } from 'zod';
import { usageRecorded as usage, workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue, defineMessage, taskPayload } from '@dtplatform/queue';
import { PREVIEW_SIZES } from '../domain/previews/preview.js';

/** To metricsvc. */
export const usageRecorded = defineMessage(usage);

/** Content that is no longer referenced. */
export const Discard = z.object({
  objects: z.array(z.string()),
  multiparts: z.array(z.object({ key: z.string(), multipartId: z.string() })),
});
export type Discard = z.infer<typeof Discard>;

/** To this service's own worker. */
export const contentQueue = defineCatalogue('filesvc.content', {
  'content.discard.v1': { payload: Discard, attempts: 8 },
});
export const contentDiscarded = contentQueue.messages['content.discard.v1'];

/** The previews of a version that are to be made. */
export const MakePreviews = z.object({
  versionId: z.string(),
  /** One for each size, so that every attempt writes the same objects. */
  previewIds: z.array(z.string()).length(PREVIEW_SIZES.length),
});
export type MakePreviews = z.infer<typeof MakePreviews>;

export const previewQueue = defineCatalogue('filesvc.previews', {
  'previews.make.v1': { payload: MakePreviews, attempts: 8 },
});
export const previewsRequested = previewQueue.messages['previews.make.v1'];

/** Removals of files and folders that are too many for one transaction. To this service's own worker. */
export const removalQueue = defineCatalogue('filesvc.removals', {
  'files.remove.v1': { payload: taskPayload, attempts: 12 },
});
export const removalAccepted = removalQueue.messages['files.remove.v1'];

/** From passportsvc. */
export const namespaceQueue = defineCatalogue('filesvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
