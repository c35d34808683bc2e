import { z } from 'zod';
import { ComponentName, ComponentRegistration } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { documents, noContent, ok, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import { errors } from '../errors.js';
import { ComponentDescription } from './component.js';
import type { Components } from './components.js';

const ComponentPage = pageOf(ComponentDescription).meta({
  id: 'ComponentPage',
  description: 'A page of components.',
});
const ListComponentsQuery = z.object(pagingParameters());
const ComponentParams = ComponentDescription.pick({ name: true });
const RegisteredParams = z.object({ name: ComponentName });

/** The components for steps of orchestrators, the same in all namespaces. */
export const componentRoutes = ({ components }: { components: Components }) =>
  routes('/components', [
    route.get('/', {
      operation: 'components.list',
      summary: 'List the components that steps of orchestrators can name, with the JSON Schema of their parameters.',
      needs: documents({ rule: 'anyone' }),
      query: ListComponentsQuery,
      responses: { 200: ComponentPage },
      handler: async ({ query }) => okPage(await components.list(pagingOf(query)), pagingOf(query)),
    }),
    route.get('/:name', {
      operation: 'components.get',
      summary: 'Read what a component does and the JSON Schema of its parameters.',
      needs: documents({ rule: 'anyone' }),
      params: ComponentParams,
      responses: { 200: ComponentDescription },
      handler: async ({ params: { name } }) => {
        const component = await components.find(name);
        if (!component) throw commonErrors.notFound();
        return ok(component);
      },
    }),
    route.put('/:name', {
      operation: 'components.register',
      summary: 'Register a component that the caller serves, or update it.',
      errors: [errors.componentNameTaken, errors.badComponentSchema],
      callers: ['trusted'],
      params: RegisteredParams,
      body: ComponentRegistration,
      responses: { 200: ComponentDescription },
      handler: async ({ params: { name }, body }) => ok(await components.register({ name, ...body })),
    }),
    route.delete('/:name', {
      operation: 'components.delete',
      summary: 'Remove a registered component.',
      description: 'From then on, steps that use it fail.',
      callers: ['trusted'],
      params: RegisteredParams,
      responses: { 204: null },
      handler: async ({ params: { name } }) => {
        await components.remove(name);
        return noContent();
      },
    }),
  ]);
