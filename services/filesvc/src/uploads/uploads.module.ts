import { startSweep } from '@dtplatform/lease';
import { resource } from '@dtplatform/runtime';
import type { ProcessContext } from '@dtplatform/runtime';
import type { WorkerConfig } from '../config.js';
import type { UploadSweep } from './finish-upload.js';
import { uploadModel } from './upload.model.js';

const HOUR_MS = 3_600_000;

interface Worker extends ProcessContext {
  config: WorkerConfig;
  uploadSweep: UploadSweep;
}

export const uploads = resource({
  tags: { uploads: 'Resumable uploads, in the protocol of the platform and in tus 1.0.' },
  models: [uploadModel],
  sweeps({ config, uploadSweep, log, lifecycle }: Worker) {
    const recover = () => uploadSweep.run(config.ABANDONED_UPLOAD_HOURS * HOUR_MS);
    const everyMs = config.UPLOAD_SWEEP_EVERY_MS;
    const sweep = startSweep({ what: 'uploads', recover, log, everyMs, idleMs: 3 * everyMs });
    lifecycle.onStop('upload sweep', () => sweep.stop());
  },
});
