import type { JobHandler } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { previewQueue } from '../events/domain-events.store.js';
import type { PreviewMaker, PreviewRequest } from './previews.js';

/** Retries only what may succeed later, such as an unavailable store. */
const makePreviews =
  (maker: PreviewMaker): JobHandler<PreviewRequest> =>
  async (request, { signal, log }) => {
    const { versionId } = request;
    const reason = await maker.make(request, signal);
    if (reason !== undefined) log.info({ versionId, reason }, 'no previews');
  };

export const previews = resource({
  tags: { previews: 'Preview images of the tips of files.' },
  jobs: ({ previewMaker }: { previewMaker: PreviewMaker }) => [
    // Each job may use PREVIEW_MEMORY_BYTES.
    jobsOf(previewQueue, { 'previews.make.v1': makePreviews(previewMaker) }, { concurrency: 1 }),
  ],
});
