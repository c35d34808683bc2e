import type { Express } from 'express';
import { createServiceApp } from '@dtplatform/service';
import type { ServiceApi } from '@dtplatform/service';
import { permissionRoutes } from './api/permissions/permissions.routes.js';
import type { Deps } from './deps.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Permissions',
  description: 'Grants and checks permissions: who may do what to which resources.',
  tags: { permissions: 'Who may do what to which resources.' },
  documents: new URL('../', import.meta.url),
  mounts: [{ prefix: '/objectmodelsvc/api/v1', tables: [permissionRoutes(deps)] }],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);
