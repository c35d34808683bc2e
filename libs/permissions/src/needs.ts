import type { Action } from '@dtplatform/contracts';
import type { Access, Resource } from './access.js';

/** What a route needs before its handler runs; the action is also shown in the API's description. */
export interface Needs<C extends { access: Access }, R> {
  action: Action;
  check(context: C): Promise<R>;
  /** What can be refused before the body is read. `check` still runs afterwards: reading a body takes time. */
  beforeBody?(context: C): Promise<unknown>;
}

/** The resources of one type, as the use cases of a service know them. */
export interface Resources<R> {
  /** The resource with this id; undefined when there is none. @param namespace the call's `nsfilter` */
  find(id: string, namespace: string): Promise<R | undefined>;
  /**
   * Permits an action on a resource that was found. By default the permissions on its own name in its own namespaces decide.
   * @throws 404 when it is missing or the caller may not read it, 403 when the caller may read it but not do this
   */
  require?(access: Access, action: Action, found: R | undefined, namespace: string): Promise<R>;
}

/** The context of a call that names a resource in its path. */
interface ByIdContext {
  params: { id: string };
  query: { nsfilter: string };
  access: Access;
}

/** The caller must be permitted an action on the resource that the path names; the handler gets it as `resource`. */
export const permit = <R extends object>(
  action: Action,
  resources: Resources<R> & (R extends Resource ? unknown : Required<Pick<Resources<R>, 'require'>>),
): Needs<ByIdContext, R> => {
  async function check({ params, query, access }: ByIdContext): Promise<R> {
    const found = await resources.find(params.id, query.nsfilter);
    if (resources.require) return resources.require(access, action, found, query.nsfilter);
    return (await access.require(action, found as Resource | undefined)) as R;
  }
  return { action, check, beforeBody: check };
};

/** The caller must be permitted to create resources of a type in each of the namespaces; `nsfilter` is one of them. */
export const permitCreate = <C extends { query: { nsfilter: string }; access: Access }>(
  serviceAndType: string,
  namespaces: (context: C) => string[],
): Needs<C, undefined> => {
  const requireIn = ({ access }: C, wanted: string[]) => access.requireIn('CREATE', `${serviceAndType}:*`, wanted);
  return {
    action: 'CREATE',
    beforeBody: (context) => requireIn(context, [context.query.nsfilter]),
    async check(context) {
      await requireIn(context, [...new Set(namespaces(context))]);
      return undefined;
    },
  };
};
