import type { Deps } from '../../../deps.js';
import type { ConsentRequest } from '../../../domain/consents/consents.js';
import type { OpenConsent } from '../provider/open-consent.js';
import type { PageRequest } from '../provider/open-interaction.js';

/** What this browser's user is asked to allow; undefined when the question has expired. */
export async function findConsentRequest(
  { oauthProvider, consents }: Deps,
  page: PageRequest,
): Promise<{ open: OpenConsent; request: ConsentRequest } | undefined> {
  const open = await oauthProvider.openConsent(page);
  const request = open && (await consents.requestOf(open));
  return open && request && { open, request };
}
