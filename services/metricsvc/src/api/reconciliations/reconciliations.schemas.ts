import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';

export const ReconciliationParams = z.object({ id: ResourceId });
export const NewReconciliation = z.object({ _namespace: Namespace.optional() });
