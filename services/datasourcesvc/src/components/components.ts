import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { Component, ComponentDescription, Components, StepContext } from './component.js';
import { checkBySchema } from './parameters.js';

/** Where the components are stored that other processes serve. */
export interface RegisteredComponentStore {
  put(component: ComponentDescription): Promise<void>;
  /** False when there is none of this name. */
  remove(name: string): Promise<boolean>;
  named(names: readonly string[]): Promise<ComponentDescription[]>;
  /** By name. */
  list(paging: Paging): Promise<Listing<ComponentDescription>>;
}

/** Does the work of a step in another process. */
export type CallWorker = (
  component: Pick<ComponentDescription, 'name' | 'mayRunAgain'>,
  context: StepContext,
) => Promise<unknown>;

type Check = Component['check'];

/** Makes components of what other processes have registered. Compiled schemas are kept until they change. */
function createRemoteComponents(callWorker: CallWorker) {
  const kept = new Map<string, { text: string; check: Check }>();

  function checkOf({ name, parameters }: ComponentDescription): Check {
    const text = JSON.stringify(parameters);
    const before = kept.get(name);
    if (before?.text === text) return before.check;
    const check = checkBySchema(parameters);
    kept.set(name, { text, check });
    return check;
  }

  return (description: ComponentDescription): Component => ({
    ...description,
    // A process that continues the run waits for the same call. Whether the call is repeated is decided where its worker ends.
    mayRunAgain: true,
    check: checkOf(description),
    run: (_params, context) => callWorker(description, context),
  });
}

/** @throws 400 */
function assertSchema(parameters: Record<string, unknown>): void {
  try {
    checkBySchema(parameters);
  } catch (error) {
    throw errors.badComponentSchema({ cause: error });
  }
}

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
