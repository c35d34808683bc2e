import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Interaction, Provider } from 'oidc-provider';

/** A page of the OAuth server that a browser has been sent to: its path holds the uid, its cookie proves that it is this browser. */
export interface PageRequest {
  uid: string;
  req: IncomingMessage;
  res: ServerResponse;
}

/**
 * What the library asks the user on a page; undefined when it has expired, the browser is another one or the page asks
 * something else.
 */
export async function openInteraction(
  provider: Provider,
  { uid, req, res }: PageRequest,
  prompt: 'login' | 'consent',
): Promise<Interaction | undefined> {
  const interaction = await provider.interactionDetails(req, res).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  return interaction?.uid === uid && interaction.prompt.name === prompt ? interaction : undefined;
}
