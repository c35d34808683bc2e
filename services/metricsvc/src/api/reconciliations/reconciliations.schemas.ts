import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';

export const ReconciliationParams = z.object({ id: ResourceId.describe('The id of the reconciliation.') });
export const NewReconciliation = z
  .object({ _namespace: Namespace.optional().describe('The namespace to compare alone; all by default.') })
  .meta({ id: 'NewReconciliation', description: 'Which namespaces to compare.' });
