import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { ComponentDescription } from '../../domain/components/component.js';

export const ComponentPage = pageOf(ComponentDescription);
export const ListComponentsQuery = z.object(pagingParameters());
export const ComponentParams = ComponentDescription.pick({ name: true });
