import type { JobHandler } from '@dtplatform/queue';
import type { MakePreviews } from '../events/domain-events.store.js';
import type { PreviewMaker } from './make-previews.js';

/** Makes the previews of a version. Only what may work later, such as an unavailable store, is tried again. */
export const makePreviews =
  (maker: PreviewMaker): JobHandler<MakePreviews> =>
  async (request, { signal, log }) => {
    const { versionId } = request;
    const reason = await maker.make(request, signal);
    if (reason !== undefined) log.info({ versionId, reason }, 'no previews');
  };
