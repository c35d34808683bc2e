import type { Express } from 'express';
import { s3Errors } from '@dtplatform/object-store';
import { createServiceApp, permissionRoutes, sharedTags, usageRoutes } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { asyncTaskRoutes } from './api/asynctasks/asynctasks.routes.js';
import { fileRoutes } from './api/files/files.routes.js';
import { methodOverride, tusProtocol } from './api/uploads/tus-protocol.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Files',
  description: 'Files and folders, normal and resumable uploads, downloads.',
  tags: {
    ...sharedTags,
    files: 'Files and folders.',
    uploads: 'Resumable uploads, in the protocol of the platform and in tus 1.0.',
    content: 'The content of files.',
    fileVersions: 'The versions of files.',
    previews: 'Preview images of the tips of files.',
    fileTasks: 'Deletions that continue after the call has returned.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/filesvc/api/v1',
      tables: [fileRoutes(deps), asyncTaskRoutes(deps), permissionRoutes('filesvc', deps), usageRoutes(deps)],
    },
  ],
});

export const createApp = (deps: Deps): Express =>
  createServiceApp(createApi(deps), deps, { errorMappers: [s3Errors], before: [methodOverride, tusProtocol] });
