import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';

const PATH = '/passportsvc/api/v1/permissionprofiles';
const Profile = z.object({ _namespaces: z.array(Namespace) });

/** Permission profiles of passportsvc. */
export const remoteProfiles = (passportsvc: ServiceClient) => ({
  /** The namespaces of a profile; empty if it does not exist. */
  async namespacesOf(id: string): Promise<string[]> {
    try {
      return (await passportsvc.call({ path: `${PATH}/${id}` }, Profile))._namespaces;
    } catch (error) {
      if (error instanceof ServiceCallError && error.status === 404) return [];
      throw error;
    }
  },
});

export type Profiles = ReturnType<typeof remoteProfiles>;
