import type { Express } from 'express';
import { createServiceApp, permissionRoutes, sharedTags } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { fileSetRoutes } from './api/filesets/filesets.routes.js';
import { filestoreRoutes, writtenAsViRoutes } from './api/filestore/filestore.routes.js';
import { describeStream } from './api/stream/describe-stream.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Graphics',
  description:
    'The graphics file store: files of the file service, kept close to viewers, and the sets in which they are shown.',
  tags: {
    ...sharedTags,
    filestore: 'Loads of graphics files into the store.',
    filesets: 'Sets of files that a viewer shows together.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/graphicssvc/api/v1',
      tables: [filestoreRoutes(deps), fileSetRoutes(deps), permissionRoutes('graphicssvc', deps)],
    },
    { prefix: '/graphicssvc/api/vi', tables: [writtenAsViRoutes(deps)] },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);

/** The description of the websocket, for `asyncapi.json`. */
export const createAsyncApi = describeStream;
