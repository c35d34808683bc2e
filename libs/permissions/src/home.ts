import type { Action, PermissionEntry } from '@dtplatform/contracts';
import { fieldsOf } from './access.js';
import type { Access, Resource } from './access.js';

/** A resource in one or several namespaces. */
export interface Placed {
  _namespaces: string[];
  /** The `nsfilter` of the call that created it. Hidden from callers. */
  _home?: string | undefined;
}

/**
 * The home namespace of a resource: DELETE there includes control over its other namespaces. If it was closed, the
 * first remaining namespace is the home.
 */
export const homeOf = ({ _namespaces, _home }: Placed): string =>
  _home !== undefined && _namespaces.includes(_home) ? _home : _namespaces[0]!;

/** Whether two resources have the same home and the same namespaces, in any order. */
export const isSamePlace = (one: Placed, other: Placed): boolean =>
  homeOf(one) === homeOf(other) &&
  one._namespaces.length === other._namespaces.length &&
  one._namespaces.every((namespace) => other._namespaces.includes(namespace));

/**
 * Permits a deletion: with DELETE in the home, from all namespaces; otherwise only from the call's namespace, with
 * DELETE there.
 * @param context the `nsfilter` of the call
 * @returns where the resource stays; undefined when it is to be deleted
 * @throws 403
 */
export async function requireDeletion(
  access: Access,
  resource: Resource & Placed,
  context: string | undefined,
): Promise<{ _namespaces: string[]; _home: string } | undefined> {
  const { _irn, _namespaces } = resource;
  const [home, fields] = [homeOf(resource), fieldsOf(resource)];
  if (await access.may('DELETE', _irn, [home], { fields })) return undefined;
  const isElsewhere = context !== undefined && context !== home && _namespaces.includes(context);
  await access.requireIn('DELETE', _irn, [isElsewhere ? context : home], fields);
  return { _namespaces: without(_namespaces, [context!]), _home: home };
}

interface Move {
  /** The resource with its new namespaces. */
  after: Resource;
  /** The actions that apply to resources of the type, besides SHARE. */
  actions: readonly Action[];
  /** The `nsfilter` of the call. It becomes the home of a resource that leaves its home. */
  context: string;
}

/**
 * Permits a change of a resource's namespaces. Entering a namespace is sharing: it needs CREATE there, and SHARE with
 * all actions on the resource in one of its namespaces, so that nobody gains an action. Leaving one needs DELETE there
 * or in the home; leaving the home needs DELETE in the home.
 * @returns the new home, and the permissions that the caller gets in the entered namespaces. Grant them after the
 * commit.
 * @throws 403
 */
export async function requireMove(
  access: Access,
  before: Resource & Placed,
  { after, actions, context }: Move,
): Promise<{ home: string; grants: PermissionEntry[] }> {
  const home = homeOf(before);
  const entered = without(after._namespaces, before._namespaces);
  const left = without(before._namespaces, after._namespaces);
  if (left.length > 0 && !(await access.may('DELETE', before._irn, [home], { fields: fieldsOf(before) }))) {
    await access.requireIn('DELETE', before._irn, left.includes(home) ? [home] : left, fieldsOf(before));
  }
  const newHome = left.includes(home) ? context : home;
  if (entered.length === 0) return { home: newHome, grants: [] };
  await access.requireIn('CREATE', typeOf(before._irn), entered, fieldsOf(after));
  const lacking = await lackingToShare(access, before, actions);
  if (lacking) throw await access.refusal(lacking, before._irn, before._namespaces);
  return { home: newHome, grants: await access.ownership({ ...after, _namespaces: entered }) };
}

/** Undefined if the caller holds SHARE and all the actions in one of the namespaces; otherwise a missing action. */
async function lackingToShare(access: Access, resource: Resource, actions: readonly Action[]) {
  const details = { fields: fieldsOf(resource) };
  const needed = ['SHARE' as const, ...actions];
  let lacking: Action | undefined;
  for (const namespace of resource._namespaces) {
    const answers = await Promise.all(needed.map((action) => access.may(action, resource._irn, [namespace], details)));
    const missing = needed.find((_action, place) => !answers[place]);
    if (missing === undefined) return undefined;
    lacking ??= missing;
  }
  return lacking;
}

const typeOf = (irn: string): string => `${irn.split(':', 2).join(':')}:*`;

const without = (namespaces: string[], others: string[]): string[] =>
  namespaces.filter((namespace) => !others.includes(namespace));
