import { resource } from '@dtplatform/runtime';
import { reconcileUsage } from './reconcile-usage.job.js';
import type { Reconciliations } from './reconciliations.js';
import { reconciliationRoutes } from './reconciliations.routes.js';
import { reconciliationModel } from './reconciliations.store.js';

export const reconciliations = resource({
  tags: { reconciliations: 'Comparisons of metrics with the data of the services, for operators of the platform.' },
  models: [reconciliationModel],
  routes: (parts: { reconciliations: Reconciliations }) => [reconciliationRoutes(parts)],
  sweeps: reconcileUsage,
});
