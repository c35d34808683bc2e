import { resource } from '@dtplatform/service';
import { versionModel } from '../files/file.model.js';

export const versions = resource({
  tags: { fileVersions: 'The versions of files.' },
  models: [versionModel],
});
