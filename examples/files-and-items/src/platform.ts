import { createClient, createSession } from '@dtplatform/sdk';

const { VITE_BASE_URL: baseUrl, VITE_CLIENT_ID: clientId } = import.meta.env;

/** The user's session. The SDK shares it between tabs and renews it before it expires. */
export const session = createSession({ baseUrl, clientId, redirectUri: `${location.origin}/` });

/** Calls the platform as the user; `client.in(namespace)` works in a workspace. */
export const client = createClient({ baseUrl, auth: session });
