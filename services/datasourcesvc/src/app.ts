import type { Express } from 'express';
import { createServiceApp, permissionRoutes, sharedTags } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { componentCallRoutes } from './api/componentcalls/componentcalls.routes.js';
import { componentRoutes } from './api/components/components.routes.js';
import { orchestratorRoutes } from './api/orchestrators/orchestrators.routes.js';
import { runRoutes } from './api/orchrun/orchrun.routes.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Orchestrators',
  description: 'Ordered lists of system components, and their runs.',
  tags: {
    ...sharedTags,
    components: 'What steps of orchestrators can do.',
    componentCalls: 'Steps whose components are served by other processes. For these processes.',
    orchestrators: 'Ordered lists of steps.',
    runs: 'Executions of orchestrators.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/datasourcesvc/api/v1',
      tables: [
        componentRoutes(deps),
        componentCallRoutes(deps),
        orchestratorRoutes(deps),
        runRoutes(deps),
        permissionRoutes('datasourcesvc', deps),
      ],
    },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);
