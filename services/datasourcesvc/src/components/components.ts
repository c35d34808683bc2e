import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { Component, ComponentDescription, StepContext } from './component.js';
import type { RegisteredComponentStore } from './components.store.js';
import { checkBySchema } from './parameters.js';

/** Runs a step in another process. */
export type CallWorker = (
  component: Pick<ComponentDescription, 'name' | 'mayRunAgain'>,
  context: StepContext,
) => Promise<unknown>;

type Check = Component['check'];

/** Creates components from registrations. Caches compiled schemas until they change. */
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
    // A process that continues the run waits for the same call. Whether a call is repeated is decided when its worker
    // dies.
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

interface ComponentsDeps {
  builtIn: readonly Component[];
  registered: RegisteredComponentStore;
  callWorker: CallWorker;
}

/** The components of an installation: built-in ones, and those that other processes have registered. */
export function createComponents({ builtIn, registered, callWorker }: ComponentsDeps) {
  const own = new Map(builtIn.map((component) => [component.name, component]));
  const described = [...own.values()].map(describe).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const remoteComponent = createRemoteComponents(callWorker);

  return {
    /** The existing components among these names. */
    async named(names: Iterable<string>): Promise<ReadonlyMap<string, Component>> {
      const wanted = [...new Set(names)];
      const foreign = wanted.filter((name) => !own.has(name));
      const found = foreign.length > 0 ? await registered.named(foreign) : [];
      const all = [...wanted.flatMap((name) => own.get(name) ?? []), ...found.map(remoteComponent)];
      return new Map(all.map((component) => [component.name, component]));
    },
    find: async (name: string): Promise<ComponentDescription | undefined> =>
      described.find((component) => component.name === name) ?? (await registered.named([name]))[0],
    /** Built-in ones first, each group ordered by name. */
    async list({ offset, pageSize }: Paging): Promise<Listing<ComponentDescription>> {
      const list = described.slice(offset, offset + pageSize);
      const rest = { offset: Math.max(0, offset - described.length), pageSize: pageSize - list.length };
      const more = await registered.list(rest);
      return { list: [...list, ...more.list], total: described.length + more.total };
    },
    /** Registers a component or changes it. @throws 400 for the name of a built-in component or an invalid schema */
    async register(component: ComponentDescription): Promise<ComponentDescription> {
      if (own.has(component.name)) throw errors.componentNameTaken();
      assertSchema(component.parameters);
      await registered.put(component);
      return component;
    },
    /** Steps that use it fail from now on. @throws 404 */
    async remove(name: string): Promise<void> {
      if (!(await registered.remove(name))) throw commonErrors.notFound();
    },
  };
}

export type Components = ReturnType<typeof createComponents>;

const describe = ({ name, description, mayRunAgain, parameters }: Component): ComponentDescription => ({
  name,
  description,
  mayRunAgain,
  parameters,
});
