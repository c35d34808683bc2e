import { ENTERPRISE_SCHEMA, keysOf, resolveAttribute } from '../../domain/scim/attributes.js';

type Values = Record<string, unknown>;

/** Which attributes a reply has (RFC 7644, section 3.9). Names are case-insensitive, unknown ones are ignored. */
export interface Selection {
  attributes?: string[];
  excludedAttributes?: string[];
}

/** They are in every reply. */
const ALWAYS = ['schemas', 'id'];

/** The attributes of a shown user that the client asks for. */
export function selectAttributes(user: Values, { attributes, excludedAttributes }: Selection): Values {
  if (attributes !== undefined) {
    const always = Object.fromEntries(ALWAYS.map((name) => [name, user[name]]));
    const tree = treeOf(attributes);
    return { ...always, ...(tree.size > 0 ? (kept(user, tree) as Values) : {}) };
  }
  if (excludedAttributes !== undefined) return without(user, treeOf(excludedAttributes), ALWAYS) as Values;
  return user;
}

/** Names of attributes with those of their parts; a whole attribute has no parts here. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a type alias cannot refer to itself
interface Tree extends Map<string, Tree> {}

function treeOf(names: string[]): Tree {
  const root: Tree = new Map();
  for (const name of names) {
    const path = resolveAttribute(name);
    if (path) add(root, keysOf(path).map(shownName));
  }
  return root;
}

const shownName = (name: string) => (name === 'enterprise' ? ENTERPRISE_SCHEMA : name);

/** A whole attribute, once named, covers its parts. */
function add(tree: Tree, [name, ...parts]: string[]): void {
  const known = tree.get(name!);
  if (known?.size === 0) return;
  const inner: Tree = parts.length > 0 ? (known ?? new Map()) : new Map();
  if (parts.length > 0) add(inner, parts);
  tree.set(name!, inner);
}

function kept(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((entry) => kept(entry, tree));
  const entries = Object.entries(value as Values).filter(([name]) => tree.has(name));
  return Object.fromEntries(entries.map(([name, entry]) => [name, kept(entry, tree.get(name)!)]));
}

function without(value: unknown, tree: Tree, always: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((entry) => without(entry, tree));
  const entries = Object.entries(value as Values).filter(
    ([name]) => tree.get(name)?.size !== 0 || always.includes(name),
  );
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const parts = always.includes(name) ? undefined : tree.get(name);
      return [name, parts ? without(entry, parts) : entry];
    }),
  );
}
