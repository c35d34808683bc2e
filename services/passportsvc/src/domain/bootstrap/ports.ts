import type { PermissionEntry } from '@dtplatform/contracts';
import type { App } from '../apps/app.js';
import type { User } from '../scim/user.js';

/** Inserts only what does not exist yet; each `add` reports whether it inserted the record. */
export interface BootstrapStore {
  /** The id of the platform's own organization, which is created with `id` if there is none. */
  firstOrganization(id: string): Promise<string>;
  addOrganization(id: string, name: string): Promise<boolean>;
  hasUser(userName: string): Promise<boolean>;
  addUser(user: User): Promise<boolean>;
  /** @param grants written once objectmodelsvc accepts them */
  addApp(app: App, grants: PermissionEntry[]): Promise<boolean>;
  setSecret(app: App): Promise<void>;
}
