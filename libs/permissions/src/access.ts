import type { Action, PermissionEntry, Subject } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { allowedIds, allows } from './decision.js';
import type { GrantLookup } from './grant-cache.js';
import type { GrantSource } from './grant-source.js';

/** What permissions need to know of a resource. */
export interface Resource {
  /** Three parts separated by colons, such as `itemsvc:nameduseritem:<id>`. */
  _irn: string;
  _namespaces: string[];
}

/**
 * Which resources of a type a caller may see, as a filter for a query: everything, or all in some namespaces and
 * individual ids in others.
 */
export type Scope = 'everything' | { all: string[]; some: { namespace: string; ids: string[] }[] };

/** What the caller of one request may do. Valid for this request only. */
export interface Access {
  readonly principal: Principal;
  /** Whether the caller may do this in at least one of the namespaces. */
  may(action: Action | '*', irn: string, namespaces: string[]): Promise<boolean>;
  /** The namespaces in which the caller has any grant; `'all'` for a trusted client. */
  namespaces(): Promise<string[] | 'all'>;
  /** Which resources of a type such as `filesvc:file` the caller may see, in the given namespaces or in all of its own. */
  scope(action: Action, serviceAndType: string, namespaces?: string[]): Promise<Scope>;
  /**
   * Returns the resource if the caller may do this to it.
   * @throws 404 when it is missing or the caller may not read it, 403 when the caller may read it but not do this
   */
  require<R extends Resource>(action: Action, resource: R | undefined): Promise<R>;
  /** @throws 403 unless the caller may do this to the resource in every one of the namespaces */
  requireIn(action: Action, irn: string, namespaces: string[]): Promise<void>;
  /** Grants the caller `*` on resources that it is about to create, unless it has that already. Call it before the write. */
  own(...resources: Resource[]): Promise<void>;
}

/** Users and administrators are subjects of type `user`; apps and trusted clients are of type `app`. */
export const subjectOf = ({ kind, id }: Principal): Subject => ({
  _type: kind === 'app' || kind === 'trusted' ? 'app' : 'user',
  _id: id,
});

export function createAccess(principal: Principal, lookup: GrantLookup, source: GrantSource): Access {
  const trusted = principal.kind === 'trusted';

  async function may(action: Action | '*', irn: string, namespaces: string[]): Promise<boolean> {
    if (trusted) return true;
    for (const namespace of namespaces) {
      if (allows(await lookup.grants(namespace), action, irn)) return true;
    }
    return false;
  }

  async function mayInAll(action: Action | '*', irn: string, namespaces: string[]): Promise<boolean> {
    const answers = await Promise.all(namespaces.map((namespace) => may(action, irn, [namespace])));
    return answers.every(Boolean);
  }

  return {
    principal,
    may,
    namespaces: async () => (trusted ? 'all' : lookup.namespaces()),
    async scope(action, serviceAndType, namespaces) {
      if (trusted) return namespaces ? { all: namespaces, some: [] } : 'everything';
      const scope: Exclude<Scope, 'everything'> = { all: [], some: [] };
      const wanted = namespaces ?? (await lookup.namespaces());
      const grants = await Promise.all(wanted.map((namespace) => lookup.grants(namespace)));
      for (const [place, namespace] of wanted.entries()) {
        const ids = allowedIds(grants[place]!, action, serviceAndType);
        if (ids === '*') scope.all.push(namespace);
        else if (ids.length > 0) scope.some.push({ namespace, ids });
      }
      return scope;
    },
    async require(action, resource) {
      if (!resource || !(await may('READ', resource._irn, resource._namespaces))) throw commonErrors.notFound();
      if (action !== 'READ' && !(await may(action, resource._irn, resource._namespaces)))
        throw commonErrors.forbidden();
      return resource;
    },
    async requireIn(action, irn, namespaces) {
      if (!(await mayInAll(action, irn, namespaces))) throw commonErrors.forbidden();
    },
    async own(...resources) {
      if (trusted) return;
      const _user = subjectOf(principal);
      const entries: PermissionEntry[] = [];
      for (const { _irn, _namespaces } of resources) {
        if (await mayInAll('*', _irn, _namespaces)) continue;
        for (const _namespace of _namespaces) {
          entries.push({ _namespace, _resourceDesc: { _irn }, _user, _actions: ['*'] });
        }
      }
      if (entries.length > 0) await source.grant(entries);
    },
  };
}
