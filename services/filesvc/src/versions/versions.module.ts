import { resource } from '@dtplatform/runtime';
import { versionModel } from '../files/file.model.js';

export const versions = resource({
  tags: { fileVersions: 'The versions of files.' },
  models: [versionModel],
});
