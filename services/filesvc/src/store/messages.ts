import { z } from 'zod';
import { usageRecorded as usage } from '@dtplatform/contracts';
import { defineCatalogue, defineMessage } from '@dtplatform/queue';

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
