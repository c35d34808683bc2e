import type { Listing, Paging } from '@dtplatform/resource';
import type { Component, ComponentDescription, Components } from './component.js';

/** The components of an installation. */
export interface ComponentCatalogue extends Components {
  find(name: string): Promise<ComponentDescription | undefined>;
  /** By name. */
  list(paging: Paging): Promise<Listing<ComponentDescription>>;
}

const describe = ({ name, description, mayRunAgain, parameters }: Component): ComponentDescription => ({
  name,
  description,
  mayRunAgain,
  parameters,
});

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** The components of this service itself. */
export function createComponents(builtIn: readonly Component[]): ComponentCatalogue {
  const own = new Map(builtIn.map((component) => [component.name, component]));
  const described = [...own.values()].map(describe).toSorted(byName);
  return {
    named: async (names) =>
      new Map([...new Set(names)].flatMap((name) => (own.has(name) ? [[name, own.get(name)!] as const] : []))),
    find: async (name) => described.find((component) => component.name === name),
    list: async ({ offset, pageSize }) => ({
      list: described.slice(offset, offset + pageSize),
      total: described.length,
    }),
  };
}
