import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { Component, ComponentDescription, Components } from './component.js';
import { assertSchema, createRemoteComponents } from './registered-component.js';
import type { CallWorker, RegisteredComponentStore } from './registered-component.js';

/** The components of an installation: those of this service, and those that other processes have registered. */
export interface ComponentCatalogue extends Components {
  find(name: string): Promise<ComponentDescription | undefined>;
  /** Those of this service first, each kind by name. */
  list(paging: Paging): Promise<Listing<ComponentDescription>>;
  /** Registers a component, or changes it. @throws 400 for a name of this service, or a schema that is not valid */
  register(component: ComponentDescription): Promise<ComponentDescription>;
  /** Steps that name it fail from now on. @throws 404 */
  remove(name: string): Promise<void>;
}

interface ComponentsDeps {
  builtIn: readonly Component[];
  registered: RegisteredComponentStore;
  callWorker: CallWorker;
}

export function createComponents({ builtIn, registered, callWorker }: ComponentsDeps): ComponentCatalogue {
  const own = new Map(builtIn.map((component) => [component.name, component]));
  const described = [...own.values()].map(describe).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const remoteComponent = createRemoteComponents(callWorker);

  return {
    async named(names) {
      const wanted = [...new Set(names)];
      const foreign = wanted.filter((name) => !own.has(name));
      const found = foreign.length > 0 ? await registered.named(foreign) : [];
      const all = [...wanted.flatMap((name) => own.get(name) ?? []), ...found.map(remoteComponent)];
      return new Map(all.map((component) => [component.name, component]));
    },
    find: async (name) => described.find((component) => component.name === name) ?? (await registered.named([name]))[0],
    async list({ offset, pageSize }) {
      const list = described.slice(offset, offset + pageSize);
      const rest = { offset: Math.max(0, offset - described.length), pageSize: pageSize - list.length };
      const more = await registered.list(rest);
      return { list: [...list, ...more.list], total: described.length + more.total };
    },
    async register(component) {
      if (own.has(component.name)) throw errors.componentNameTaken();
      assertSchema(component.parameters);
      await registered.put(component);
      return component;
    },
    async remove(name) {
      if (!(await registered.remove(name))) throw commonErrors.notFound();
    },
  };
}

const describe = ({ name, description, mayRunAgain, parameters }: Component): ComponentDescription => ({
  name,
  description,
  mayRunAgain,
  parameters,
});
