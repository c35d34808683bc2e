import type { App } from './app.js';

export interface AppStore {
  find(id: string): Promise<App | undefined>;
  hasShortName(shortName: string): Promise<boolean>;
  /** @throws shortNameTaken */
  insert(app: App): Promise<void>;
  /** Apps whose permissions in their own namespaces are yet to be written. */
  listPendingGrants(): Promise<App[]>;
  clearPendingGrants(id: string): Promise<void>;
}
