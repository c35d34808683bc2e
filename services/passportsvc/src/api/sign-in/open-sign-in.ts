import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import { messagePage } from '../../pages/message-page.js';
import { sendPage } from '../../pages/page.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * The sign-in that a request's cookie belongs to; undefined when there is none (any more), then the answer is sent.
 * @param uid the sign-in that the path names
 */
export async function openSignIn(
  provider: Provider,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Interaction | undefined> {
  const interaction = await provider.interactionDetails(req, res).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  if (interaction?.uid === uid) return interaction;
  sendPage(
    res,
    400,
    messagePage('Please start again', 'This sign-in has expired. Go back to your application and sign in again.'),
  );
  return undefined;
}
