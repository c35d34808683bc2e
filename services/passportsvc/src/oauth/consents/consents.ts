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

/** What a user is asked to allow: the app may act for the user, with codes and tokens that it receives at the redirect URI. */
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

/** Consents of users to apps of other organizations (docs/adr/0024-consents.md). */
export function createConsents({ consentStore, organizationStore, findApp, findUser, endAuthorizations }: Deps) {
  /** The request as the user reads it: the consent that it would become. */
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
   * Revokes the user's consent and ends the app's authorizations by this user. The consent stops to count first, so that no
   * token is issued afterwards; it is removed last, so that the call can be repeated if it fails in between.
   * @returns whether there was a consent to this app
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
    /** The request of an authorization; undefined when the user can no longer sign in or the app no longer exists. */
    async requestOf(of: {
      userId: string;
      clientId: string;
      redirectUri: string;
    }): Promise<ConsentRequest | undefined> {
      const [user, app] = await Promise.all([findUser(of.userId), findApp(of.clientId)]);
      return user && app && { user, app, redirectUri: of.redirectUri };
    },
    /**
     * Whether the user must consent before the app gets a code or token. Apps of the user's organization and of the platform
     * need no consent.
     */
    async isMissing({ user, app, redirectUri }: ConsentRequest): Promise<boolean> {
      if (app._trusted || app._orgId === user.orgId) return false;
      return !(await consentStore.covers(consentId(user.id, app._id), destinationOf(redirectUri)));
    },
    async give(request: ConsentRequest): Promise<void> {
      await consentStore.add(await describe(request));
    },
    /** The caller's own consents. */
    list: (paging: Paging, { principal }: Access): Promise<Listing<Consent>> => consentStore.list(principal.id, paging),
    listOf: (userId: string, paging: Paging): Promise<Listing<Consent>> => consentStore.list(userId, paging),
    /** Withdraws the caller's consent. @throws notFound when there is no consent to this app */
    async revoke(appId: string, { principal }: Access): Promise<void> {
      if (!(await withdraw(appId, principal.id))) throw commonErrors.notFound();
    },
    withdraw,
  };
}
