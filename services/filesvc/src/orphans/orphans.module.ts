import { resource } from '@dtplatform/runtime';
import { bucketScanModel, installationModel } from './orphans.store.js';
import { removeOrphans } from './remove-orphans.job.js';

export const orphans = resource({
  models: [bucketScanModel, installationModel],
  sweeps: removeOrphans,
});
