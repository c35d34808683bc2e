import { z } from 'zod';
import { ComponentName } from '@dtplatform/contracts';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { ComponentDescription } from '../../domain/components/component.js';

export const ComponentPage = pageOf(ComponentDescription).meta({
  id: 'ComponentPage',
  description: 'A page of components.',
});
export const ListComponentsQuery = z.object(pagingParameters());
export const ComponentParams = ComponentDescription.pick({ name: true });
export const RegisteredParams = z.object({ name: ComponentName });
