import type { Action, Criteria, PermissionEntry, Subject } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { isRevoked, revocationKeys } from './access-state.js';
import { allowedByCriteria, allowedIds, allowedRelated, allows } from './decision.js';
import type { Details, Fields } from './decision.js';
import type { GrantCache, GrantLookup } from './grant-cache.js';
import type { GrantSource } from './grant-source.js';
import { permissionNeeded } from './permission-needed.js';

/** The fields of a resource that permissions use. */
export interface Resource {
  /** Three parts separated by colons, such as `itemsvc:nameduseritem:<id>`. */
  _irn: string;
  _namespaces: string[];
  /** Fields for criteria. Only named items have them. */
  _itemClass?: string;
  _userType?: string;
}

/** The resources that criteria apply to. */
const WITH_CRITERIA = 'itemsvc:nameduseritem';

/**
 * The resources of a type that a caller may see, as a query filter: everything, or all in some namespaces, single ids
 * in others, and matches of criteria in others.
 */
export type Scope =
  | 'everything'
  | {
      all: string[];
      some: { namespace: string; ids: string[] }[];
      /** Absent for types without criteria. */
      matching?: { namespace: string; criteria: Criteria; ids: string[] | '*' }[];
    };

/** A caller's permissions at the time of the request; opened separately for each request. */
export interface Access {
  readonly principal: Principal;
  /** Whether the caller may do this in at least one of the namespaces. */
  may(action: Action | '*', irn: string, namespaces: string[], details?: Details): Promise<boolean>;
  /**
   * The 403 for a forbidden action. It names the action, the type of resource and the namespaces.
   * @param isEach whether the action is needed in every namespace; otherwise one suffices
   */
  refusal(action: Action | '*', irn: string, namespaces: string[], isEach?: boolean): Promise<AppError>;
  /** The namespaces in which the caller has any grant; `'all'` for a trusted client. */
  namespaces(): Promise<string[] | 'all'>;
  /**
   * The resources of a type, such as `filesvc:file`, that the caller may see in the given namespaces or in all of its
   * own.
   */
  scope(action: Action, serviceAndType: string, namespaces?: string[]): Promise<Scope>;
  /**
   * Returns the resource if the caller may do this to it.
   * @throws 404 when it does not exist or the caller may not read it, 403 when the caller may read it but not do this
   */
  require<R extends Resource>(action: Action, resource: R | undefined): Promise<R>;
  /** @throws 403 unless the caller may do this to the resource in every namespace */
  requireIn(action: Action, irn: string, namespaces: string[], fields?: Fields): Promise<void>;
  /** The related items to which the caller may do this: all, or those that match one of the criteria. */
  related(action: Action, resource: Resource): Promise<'all' | Criteria[]>;
  /** The permissions that the caller lacks to hold `*` on resources without criteria, in all their namespaces. */
  ownership(...resources: Resource[]): Promise<PermissionEntry[]>;
  /** Grants the caller ownership of resources that it is about to create. Call it before the write. */
  own(...resources: Resource[]): Promise<void>;
}

const SUBJECT_TYPES: Record<Principal['kind'], Exclude<Subject['_type'], 'usergroup'>> = {
  user: 'user',
  admin: 'user',
  app: 'app',
  trusted: 'app',
  profile: 'permprofile',
};

/** Users and administrators are subjects of type `user`; apps and trusted clients of type `app`. */
export const subjectOf = ({ kind, id }: Principal) => ({ _type: SUBJECT_TYPES[kind], _id: id });

function createAccess(principal: Principal, lookup: GrantLookup, source: GrantSource): Access {
  const trusted = principal.kind === 'trusted';

  async function may(action: Action | '*', irn: string, namespaces: string[], details?: Details): Promise<boolean> {
    if (trusted) return true;
    for (const namespace of namespaces) {
      if (allows(await lookup.grants(namespace), action, irn, details)) return true;
    }
    return false;
  }

  /** The namespaces in which the caller may not do this. */
  async function lacking(
    action: Action | '*',
    irn: string,
    namespaces: string[],
    details?: Details,
  ): Promise<string[]> {
    const answers = await Promise.all(namespaces.map((namespace) => may(action, irn, [namespace], details)));
    return namespaces.filter((_, place) => !answers[place]);
  }

  async function ownership(...resources: Resource[]): Promise<PermissionEntry[]> {
    if (trusted) return [];
    const entries: PermissionEntry[] = [];
    for (const resource of resources) {
      // Grants with criteria do not count: the resource may change and stop matching.
      const isMissing = (await lacking('*', resource._irn, resource._namespaces)).length > 0;
      if (isMissing) entries.push(...ownershipOf(resource, principal));
    }
    return entries;
  }

  const rejection: Access['refusal'] = async (...rejected) =>
    rejectionOf(rejected, trusted ? 'all' : await lookup.namespaces());
  const grantsIn = (namespaces: string[]) => Promise.all(namespaces.map((namespace) => lookup.grants(namespace)));

  return {
    principal,
    may,
    refusal: rejection,
    namespaces: async () => (trusted ? 'all' : lookup.namespaces()),
    async scope(action, serviceAndType, namespaces) {
      if (trusted) return namespaces ? { all: namespaces, some: [] } : 'everything';
      const hasCriteria = serviceAndType === WITH_CRITERIA;
      const scope: Exclude<Scope, 'everything'> = { all: [], some: [], ...(hasCriteria && { matching: [] }) };
      const wanted = namespaces ?? (await lookup.namespaces());
      const grants = await grantsIn(wanted);
      for (const [place, namespace] of wanted.entries()) {
        const ids = allowedIds(grants[place]!, action, serviceAndType);
        if (ids === '*') {
          scope.all.push(namespace);
          continue;
        }
        if (ids.length > 0) scope.some.push({ namespace, ids });
        if (!scope.matching) continue;
        const matching = allowedByCriteria(grants[place]!, action, serviceAndType);
        scope.matching.push(...matching.map((one) => ({ namespace, ...one })));
      }
      return scope;
    },
    async require(action, resource) {
      if (!resource) throw commonErrors.notFound();
      const { _irn, _namespaces } = resource;
      const details = { fields: fieldsOf(resource) };
      if (!(await may('READ', _irn, _namespaces, details))) throw commonErrors.notFound();
      if (action !== 'READ' && !(await may(action, _irn, _namespaces, details)))
        throw await rejection(action, _irn, _namespaces);
      return resource;
    },
    async requireIn(action, irn, namespaces, fields) {
      const missing = await lacking(action, irn, namespaces, fields && { fields });
      if (missing.length > 0) throw await rejection(action, irn, missing, true);
    },
    async related(action, resource) {
      if (trusted) return 'all';
      const grants = await grantsIn(resource._namespaces);
      const allowed = grants.map((each) => allowedRelated(each, action, resource._irn, fieldsOf(resource)));
      return allowed.includes('all') ? 'all' : (allowed as Criteria[][]).flat();
    },
    ownership,
    async own(...resources) {
      const entries = await ownership(...resources);
      if (entries.length > 0) await source.grant(entries);
    },
  };
}

/** @param known the namespaces in which the caller has grants; the error names no others */
function rejectionOf(
  [action, irn, namespaces, isEach]: Parameters<Access['refusal']>,
  known: readonly string[] | 'all',
): AppError {
  const resource = irn.split(':').slice(0, 2).join(':');
  const shown = known === 'all' ? namespaces : namespaces.filter((namespace) => known.includes(namespace));
  return permissionNeeded({ action, resource }, shown, isEach);
}

const ownershipOf = ({ _irn, _namespaces }: Resource, principal: Principal): PermissionEntry[] =>
  _namespaces.map((_namespace) => ({
    _namespace,
    _resourceDesc: { _irn },
    _user: subjectOf(principal),
    _actions: ['*'],
  }));

/** The fields that criteria can compare. */
export const fieldsOf = ({ _itemClass, _userType }: Resource): Fields => ({ _itemClass, _userType });

/** Looks up the permissions of a verified caller. @throws 401 when the token was revoked; Redis errors */
export type OpenAccess = (principal: Principal) => Promise<Access>;

/**
 * One Redis read returns both a caller's epoch and the marks of revoked tokens. Requests with the same token in one
 * turn of the event loop share the read, which starts after that turn.
 */
export function createPermissions({ cache, source }: { cache: GrantCache; source: GrantSource }): OpenAccess {
  async function open(principal: Principal): Promise<Access> {
    const { lookup, more: marks } = await cache.open(subjectOf(principal), revocationKeys(principal));
    if (isRevoked(principal, marks)) {
      throw commonErrors.unauthorized({ message: 'The access token was revoked.', tokenSent: true });
    }
    return createAccess(principal, lookup, source);
  }

  let opening: Map<Principal, Promise<Access>> | undefined;
  function openingNow(): Map<Principal, Promise<Access>> {
    setImmediate(() => (opening = undefined));
    return new Map();
  }

  return (principal) => {
    opening ??= openingNow();
    const shared = opening.get(principal);
    if (shared) return shared;
    const opened = open(principal);
    opening.set(principal, opened);
    return opened;
  };
}
