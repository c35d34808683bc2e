import type { Action } from '@dtplatform/contracts';
import type { Access, Resource } from './access.js';

/** The permission that a route needs before its handler runs; the API description shows the action. */
export interface Needs<C extends { access: Access }, R> {
  action: Action;
  check(context: C): Promise<R>;
}

/** The caller must be allowed an action on the resource that `find` returns; the handler gets it as `resource`. */
export const permit = <C extends { access: Access }, R extends Resource>(
  action: Action,
  find: (context: C) => Promise<R | undefined>,
): Needs<C, R> => ({ action, check: async (context) => context.access.require(action, await find(context)) });

/** The caller must be allowed to create resources of a type in each of the namespaces. */
export const permitCreate = <C extends { access: Access }>(
  serviceAndType: string,
  namespaces: (context: C) => string[],
): Needs<C, undefined> => ({
  action: 'CREATE',
  async check(context) {
    await context.access.requireIn('CREATE', `${serviceAndType}:*`, [...new Set(namespaces(context))]);
    return undefined;
  },
});
