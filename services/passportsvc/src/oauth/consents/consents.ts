import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { App } from '../../directory/apps/app.js';
import type { OrganizationStore } from '../../directory/organizations/organizations.store.js';
import type { EndAuthorizations } from '../token/authorization.js';
import type { FindApp, FindUser, KnownUser } from '../token/known.js';
import { consentId, destinationOf } from './consent.js';
import type { Consent } from './consent.js';
import type { ConsentStore } from './consents.store.js';

/** A consent lets the app act for the user, with codes and tokens that it receives at the redirect URI. */
export interface ConsentRequest {
  user: KnownUser;
  app: App;
  redirectUri: string;
}

interface Deps {
  consentStore: ConsentStore;
  organizationStore: OrganizationStore;
  findApp: FindApp;
  findUser: FindUser;
  endAuthorizations: EndAuthorizations;
}

export type Consents = ReturnType<typeof createConsents>;

/** Consents of users to apps of other organizations. */
export function createConsents({ consentStore, organizationStore, findApp, findUser, endAuthorizations }: Deps) {
  async function describe({ user, app, redirectUri }: ConsentRequest): Promise<Consent> {
    const organization = await organizationStore.find(app._orgId);
    const now = Date.now();
    return {
      _id: consentId(user.id, app._id),
      _userId: user.id,
      _appId: app._id,
      _appName: app._name,
      _orgId: app._orgId,
      _orgName: organization?._name ?? app._orgId,
      _destinations: [destinationOf(redirectUri)],
      _metadata: { _createdAt: now, _updatedAt: now },
      _revoked: false,
    };
  }

  /**
   * Revokes the consent and ends the app's authorizations by this user. The consent is invalidated first, so that no
   * more tokens are issued, and removed last, so that a failed call can be retried.
   * @returns whether the consent existed
   */
  async function withdraw(appId: string, userId: string): Promise<boolean> {
    const id = consentId(userId, appId);
    if (!(await consentStore.markRevoked(id))) return false;
    await endAuthorizations({ accountId: userId, clientId: appId });
    await consentStore.removeRevoked(id);
    return true;
  }

  return {
    describe,
    /** @returns undefined when the user can no longer sign in or the app no longer exists */
    async requestOf(of: {
      userId: string;
      clientId: string;
      redirectUri: string;
    }): Promise<ConsentRequest | undefined> {
      const [user, app] = await Promise.all([findUser(of.userId), findApp(of.clientId)]);
      return user && app && { user, app, redirectUri: of.redirectUri };
    },
    /**
     * Whether the app must get consent before a code or token. Apps of the user's organization and of the platform need
     * none.
     */
    async isMissing({ user, app, redirectUri }: ConsentRequest): Promise<boolean> {
      if (app._trusted || app._orgId === user.orgId) return false;
      return !(await consentStore.covers(consentId(user.id, app._id), destinationOf(redirectUri)));
    },
    async give(request: ConsentRequest): Promise<void> {
      await consentStore.add(await describe(request));
    },
    list: (paging: Paging, { principal }: Access): Promise<Listing<Consent>> => consentStore.list(principal.id, paging),
    listOf: (userId: string, paging: Paging): Promise<Listing<Consent>> => consentStore.list(userId, paging),
    /** @throws notFound when there is no consent to this app */
    async revoke(appId: string, { principal }: Access): Promise<void> {
      if (!(await withdraw(appId, principal.id))) throw commonErrors.notFound();
    },
    withdraw,
  };
}
