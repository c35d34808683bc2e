import { jobsOf, resource } from '@dtplatform/runtime';
import { contentQueue } from '../events/domain-events.store.js';
import { discardContent } from './discard-content.job.js';

export const content = resource({
  tags: { content: 'The content of files.' },
  jobs: (parts: Parameters<typeof discardContent>[0]) => [
    jobsOf(contentQueue, { 'content.discard.v1': discardContent(parts) }),
  ],
});
