import type { Action } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access, Resource } from './access.js';
import type { Fields } from './decision.js';

/**
 * A route's declared permission, as the API description shows it. The rule determines how callers are rejected:
 * - `resource`: the call names one resource; 404 unless the caller may read it, 403 unless it may do this to it
 * - `all`: 403 unless the caller may do this to everything in the call, such as resources to create
 * - `filter`: the response contains only what the caller may do this to; lists are filtered by their query
 * - `entries`: each entry of the body is rejected separately
 * - `organization`: only what belongs to the caller's organization exists; for callers of the platform, everything
 * - `own`: only what belongs to or concerns the caller or its app exists
 * - `anyone`: a token without any permission suffices
 */
export type Declaration =
  // The resource is `<service>:<type>`; `*` matches any.
  | { rule: 'resource' | 'all' | 'filter' | 'entries'; action: Action; resource: string }
  | { rule: 'organization' | 'own' | 'anyone'; action?: undefined; resource?: undefined };

/** A check before a handler runs. */
export interface Needs<C extends { access: Access }, R> {
  declares: Declaration;
  check(context: C): Promise<R>;
  /** Rejects what it can before the body is read. `check` still runs afterwards, because reading a body takes time. */
  beforeBody?(context: C): Promise<unknown>;
}

/** Access to the resources of one type. */
export interface Resources<R> {
  /** Undefined if there is no resource with this id. @param namespace the call's `nsfilter` */
  find(id: string, namespace: string): Promise<R | undefined>;
  /**
   * Permits an action on a resource that was found. By default the permissions on its own name in its own namespaces
   * decide.
   * @throws 404 when it is missing or the caller may not read it, 403 when the caller may read it but not do this
   */
  require?(access: Access, action: Action, found: R | undefined, namespace: string): Promise<R>;
}

interface ByIdContext {
  params: { id: string };
  query: { nsfilter: string };
  access: Access;
}

/** Requires an action on the resource in the path, which the handler gets as `resource`. */
export const permit = <R extends object>(
  action: Action,
  serviceAndType: string,
  resources: Resources<R> & (R extends Resource ? unknown : Required<Pick<Resources<R>, 'require'>>),
): Needs<ByIdContext, R> => {
  async function check({ params, query, access }: ByIdContext): Promise<R> {
    const found = await resources.find(params.id, query.nsfilter);
    if (resources.require) return resources.require(access, action, found, query.nsfilter);
    return (await access.require(action, found as Resource | undefined)) as R;
  }
  const declares: Declaration = { rule: 'resource', action, resource: serviceAndType };
  return { declares, check, beforeBody: check };
};

type NewResource = Omit<Resource, '_irn'>;

/** Requires CREATE on resources of a type, each in all of its namespaces. */
export const permitCreate = <C extends { query: { nsfilter: string }; access: Access }>(
  serviceAndType: string,
  resources: (context: C) => NewResource[],
): Needs<C, undefined> => {
  const requireIn = (access: Access, namespaces: string[], fields: Fields) =>
    access.requireIn('CREATE', `${serviceAndType}:*`, namespaces, fields);
  const beforeBody = ({ access, query }: C) => requireIn(access, [query.nsfilter], 'any');
  return {
    declares: { rule: 'all', action: 'CREATE', resource: serviceAndType },
    beforeBody,
    async check(context) {
      await beforeBody(context);
      for (const { fields, namespaces } of byFields(resources(context))) {
        await requireIn(context.access, [...namespaces], fields);
      }
      return undefined;
    },
  };
};

/** Groups the namespaces of resources that criteria cannot distinguish: a call creates up to 1000. */
function byFields(resources: NewResource[]) {
  const kinds = new Map<string, { fields: Fields; namespaces: Set<string> }>();
  for (const { _itemClass, _userType, _namespaces } of resources) {
    const key = JSON.stringify([_itemClass, _userType]);
    const kind = kinds.get(key) ?? { fields: { _itemClass, _userType }, namespaces: new Set() };
    kinds.set(key, kind);
    for (const namespace of _namespaces) kind.namespaces.add(namespace);
  }
  return kinds.values();
}

/** A task, and who started it. */
export interface FoundTask<T extends { _namespaces: string[] }> {
  task: T;
  createdById: string;
}

/**
 * Returns a task to its starter while the starter has any grant in one of its namespaces (nobody does after their
 * workspace was deleted), and to administrators and trusted clients.
 * @throws 404
 */
export async function requireOwnTask<T extends { _namespaces: string[] }>(
  found: FoundTask<T> | undefined,
  access: Access,
): Promise<T> {
  const { kind, id } = access.principal;
  const seesAll = kind === 'admin' || kind === 'trusted';
  if (!found || !(seesAll || (found.createdById === id && (await holdsAnything(found.task, access))))) {
    throw commonErrors.notFound();
  }
  return found.task;
}

async function holdsAnything({ _namespaces }: { _namespaces: string[] }, access: Access): Promise<boolean> {
  const held = await access.namespaces();
  return held === 'all' || _namespaces.some((namespace) => held.includes(namespace));
}
