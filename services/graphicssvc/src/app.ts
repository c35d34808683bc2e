import type { Express } from 'express';
import { createServiceApp } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { filestoreRoutes, writtenAsViRoutes } from './api/filestore/filestore.routes.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Graphics',
  description: 'The graphics file store: files of the file service, kept close to viewers.',
  mounts: [
    { prefix: '/graphicssvc/api/v1', tables: [filestoreRoutes(deps)] },
    { prefix: '/graphicssvc/api/vi', tables: [writtenAsViRoutes(deps)] },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);
