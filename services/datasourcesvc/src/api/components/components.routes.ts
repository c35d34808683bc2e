import { commonErrors } from '@dtplatform/errors';
import { anyone, ok, okPage, pagingOf, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { ComponentDescription } from '../../domain/components/component.js';
import { ComponentPage, ComponentParams, ListComponentsQuery } from './components.schemas.js';

/** What steps of orchestrators can do. All namespaces have the same components. */
export const componentRoutes = ({ components }: Pick<Deps, 'components'>) =>
  routes('/components', [
    route.get('/', {
      operation: 'components.list',
      summary: 'List the components that steps of orchestrators can name, with the JSON Schema of their parameters.',
      needs: anyone,
      query: ListComponentsQuery,
      replies: { 200: ComponentPage },
      handler: async ({ query }) => okPage(await components.list(pagingOf(query)), pagingOf(query)),
    }),
    route.get('/:name', {
      operation: 'components.get',
      summary: 'Read what a component does and the JSON Schema of its parameters.',
      needs: anyone,
      params: ComponentParams,
      replies: { 200: ComponentDescription },
      handler: async ({ params: { name } }) => {
        const component = await components.find(name);
        if (!component) throw commonErrors.notFound();
        return ok(component);
      },
    }),
  ]);
