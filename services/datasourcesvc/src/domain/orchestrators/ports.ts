import type { Scope } from '@dtplatform/permissions';
import type { Listing, Paging } from '@dtplatform/resource';
import type { Orchestrator } from './orchestrator.js';

/** Where orchestrators are stored. */
export interface OrchestratorStore {
  /** @throws 400 when the name is taken in one of the namespaces */
  insert(orchestrator: Orchestrator): Promise<void>;
  find(id: string): Promise<Orchestrator | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<Orchestrator>>;
}

/** Permission profiles of passportsvc. */
export interface Profiles {
  /** The namespaces of a profile; none when there is no such profile. */
  namespacesOf(id: string): Promise<string[]>;
}
