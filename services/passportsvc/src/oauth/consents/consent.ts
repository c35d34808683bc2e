import { z } from 'zod';
import { Metadata, ResourceId } from '@dtplatform/contracts';
import { App } from '../../directory/apps/app.js';
import { Organization } from '../../directory/organizations/organizations.js';

/**
 * A user's consent to an app of another organization (docs/contract.md, "Consents"). Underscored ids before `_appId`
 * are internal.
 */
export const Consent = z.object({
  _id: z.string(),
  _userId: ResourceId,
  _appId: App.shape._id,
  _appName: App.shape._name.describe('The name of the app, as shown to the user.'),
  _orgId: Organization.shape._id.describe('The id of the organization of the app.'),
  _orgName: z.string().describe('The name of the organization of the app, as shown to the user.'),
  /** `destinationOf` each allowed redirect URI. */
  _destinations: z
    .array(z.string())
    .describe("Where the app can receive the user's codes and tokens, such as `https://app.example.com` or `myapp:`."),
  _metadata: Metadata.pick({ _createdAt: true, _updatedAt: true }).describe(
    'When the user first consented, and when something was last added.',
  ),
  /** Void, but its tokens may not all be rejected yet. */
  _revoked: z.boolean(),
});
export type Consent = z.infer<typeof Consent>;

export const ShownConsent = Consent.omit({ _id: true, _userId: true, _revoked: true }).meta({
  id: 'Consent',
  description: 'The consent of a user to an app of another organization.',
});
export const showConsent = ({ _id, _userId, _revoked, ...shown }: Consent): z.infer<typeof ShownConsent> => shown;

/** One consent per user and app. */
export const consentId = (userId: string, appId: string): string => `${userId}:${appId}`;

/**
 * Where a redirect URI leads, as users see it: an origin, or the custom scheme of a mobile app. Omits the host of a
 * custom scheme: any app could put a well-known one there.
 */
export function destinationOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === 'null' ? protocol : origin;
}
