import { z } from 'zod';
import { Metadata, ResourceId } from '@dtplatform/contracts';
import { App } from '../apps/app.js';
import { Organization } from '../organizations/organization.js';

/** What a user allowed an app of another organization (docs/contract.md, "Consents"). The underscored ids before `_appId` are internal. */
export const Consent = z.object({
  /** User and app: `consentId`. */
  _id: z.string(),
  _userId: ResourceId,
  _appId: App.shape._id,
  /** Names as the user read them. */
  _appName: App.shape._name,
  _orgId: Organization.shape._id,
  _orgName: z.string(),
  /** Where the app may receive the user's codes and tokens: `destinationOf` each redirect URI that the user allowed. */
  _destinations: z.array(z.string()),
  _metadata: Metadata.pick({ _createdAt: true, _updatedAt: true }),
  /** It no longer counts, but its tokens may not all be refused yet. */
  _revoked: z.boolean(),
});
export type Consent = z.infer<typeof Consent>;

export const ShownConsent = Consent.omit({ _id: true, _userId: true, _revoked: true });
export const showConsent = ({ _id, _userId, _revoked, ...shown }: Consent): z.infer<typeof ShownConsent> => shown;

/** One consent for each user and app. */
export const consentId = (userId: string, appId: string): string => `${userId}:${appId}`;

/**
 * Where a redirect URI leads, as users see it: an origin, or the custom scheme of a mobile app. The host of a custom scheme is
 * left out: any app could write a well-known one there.
 */
export function destinationOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === 'null' ? protocol : origin;
}
