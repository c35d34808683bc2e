import type { Express } from 'express';
import { createServiceApp, permissionRoutes, sharedTags, usageRoutes } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { asyncTaskRoutes } from './asynctasks/async-tasks.routes.js';
import type { Deps } from './deps.js';
import { indexRoutes } from './indexes/indexes.routes.js';
import { messageRoutes } from './messages/messages.routes.js';
import { itemRoutes } from './nameduseritems/items.routes.js';
import { readingRoutes } from './readings/readings.routes.js';
import { relatedCollectionRoutes } from './relatedcollections/related-collections.routes.js';
import { relatedItemRoutes, singleRelatedItemRoutes } from './relateditems/related-items.routes.js';
import { searchRoutes } from './search/search.routes.js';
import { telemetryConfigRoutes, telemetryTaskRoutes } from './telemetryconfigs/telemetry-configs.routes.js';
import { updateLogRoutes } from './updatelogs/update-logs.routes.js';
import { versionRoutes } from './versions/versions.routes.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Items',
  description: 'Named items with their versions and related items, and telemetry configurations.',
  tags: {
    ...sharedTags,
    items: 'Named items: composite items, collections, scripts and user configurations.',
    versions: 'The versions of items.',
    updateLogs: 'Who changed items and their versions, and when.',
    readings: 'Readings of telemetry items.',
    relatedItems: 'The items in collections: file items, telemetry items and free-form items.',
    relatedCollections: 'The items that are related to composite items.',
    indexes: 'Indexes on fields of the items in collections.',
    telemetryConfigs: 'How messages of devices become readings.',
    messages: 'Messages of devices.',
    deadLetters: 'Messages of devices whose readings could not be stored.',
    telemetryTasks: 'Accepted writes of telemetry configurations, and accepted messages.',
    asyncTasks: 'Accepted requests that continue after their call.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/itemsvc/api/v1',
      tables: [
        // Before the items, whose paths match its own.
        searchRoutes(deps),
        itemRoutes(deps),
        versionRoutes(deps),
        updateLogRoutes(deps),
        readingRoutes(deps),
        relatedItemRoutes(deps),
        relatedCollectionRoutes(deps),
        singleRelatedItemRoutes(deps),
        indexRoutes(deps),
        telemetryConfigRoutes(deps),
        messageRoutes(deps),
        telemetryTaskRoutes(deps),
        asyncTaskRoutes(deps),
        permissionRoutes('itemsvc', deps),
        usageRoutes(deps),
      ],
    },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);
