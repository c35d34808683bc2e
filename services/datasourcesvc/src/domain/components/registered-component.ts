import type { Listing, Paging } from '@dtplatform/contracts';
import { errors } from '../../errors.js';
import type { Component, ComponentDescription, StepContext } from './component.js';
import { checkBySchema } from './json-schema.js';

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
export function createRemoteComponents(callWorker: CallWorker) {
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
export function assertSchema(parameters: Record<string, unknown>): void {
  try {
    checkBySchema(parameters);
  } catch (error) {
    throw errors.badComponentSchema({ cause: error });
  }
}
