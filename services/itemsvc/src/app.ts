import type { Express } from 'express';
import { createServiceApp } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { itemRoutes } from './api/nameduseritems/nameduseritems.routes.js';
import { relatedItemRoutes } from './api/relateditems/relateditems.routes.js';
import { telemetryConfigRoutes } from './api/telemetryconfigs/telemetryconfigs.routes.js';
import { asyncTaskRoutes, telemetryTaskRoutes } from './api/telemetry-async-tasks/telemetry-async-tasks.routes.js';
import { versionRoutes } from './api/versions/versions.routes.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Items',
  description: 'Named items with their versions and related items, and telemetry configurations.',
  mounts: [
    {
      prefix: '/itemsvc/api/v1',
      tables: [
        itemRoutes(deps),
        versionRoutes(deps),
        relatedItemRoutes(deps),
        telemetryConfigRoutes(deps),
        telemetryTaskRoutes(deps),
        asyncTaskRoutes(deps),
      ],
    },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);
