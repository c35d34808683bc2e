import { compactVerify } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { entriesOf, isRedirectUri } from '../../directory/apps/app.js';
import { destinationOf } from '../consents/consent.js';
import type { FindApp } from '../token/known.js';

/** An app's request to sign its user out (OpenID Connect RP-Initiated Logout 1.0, section 2). */
export interface SignOutRequest {
  /** A token that the platform issued to the app; it may have expired. */
  idTokenHint?: string;
  clientId?: string;
  postLogoutRedirectUri?: string;
  state?: string;
}

interface Deps {
  findApp: FindApp;
  issuer: string;
  keys: JWTVerifyGetKey;
}

const MAX_LENGTH = 8192;
const MAX_STATE_LENGTH = 2048;
const Hint = z.object({ iss: z.string(), sub: z.string(), client_id: z.string() });

export type FindSignOutTarget = ReturnType<typeof createSignOutTargets>;

/**
 * The validated `post_logout_redirect_uri`: its origin must be one that the app may redirect to after a sign-in.
 * Undefined when anything about the request is invalid.
 */
export function createSignOutTargets({ findApp, issuer, keys }: Deps) {
  async function hintOf(token: string): Promise<z.infer<typeof Hint> | undefined> {
    if (token.length > MAX_LENGTH) return undefined;
    const verified = await compactVerify(token, keys, { algorithms: ['ES256', 'RS256'] }).catch(() => undefined);
    const hint = verified && Hint.safeParse(JSON.parse(Buffer.from(verified.payload).toString()));
    return hint?.data?.iss === issuer ? hint.data : undefined;
  }

  async function clientOf({ idTokenHint, clientId }: SignOutRequest, userId: string | undefined) {
    if (idTokenHint === undefined) return clientId;
    const hint = await hintOf(idTokenHint);
    if (!hint || (userId !== undefined && hint.sub !== userId)) return undefined;
    return clientId === undefined || clientId === hint.client_id ? hint.client_id : undefined;
  }

  return async (request: SignOutRequest, userId: string | undefined): Promise<URL | undefined> => {
    const { postLogoutRedirectUri: uri, state } = request;
    if (uri === undefined || uri.length > MAX_LENGTH || !isRedirectUri(uri)) return undefined;
    if (state !== undefined && state.length > MAX_STATE_LENGTH) return undefined;
    const clientId = await clientOf(request, userId);
    const app = clientId === undefined ? undefined : await findApp(clientId);
    const registered = entriesOf(app?._redirectUris).map(destinationOf);
    if (!registered.includes(destinationOf(uri))) return undefined;
    const target = new URL(uri);
    if (state !== undefined) target.searchParams.append('state', state);
    return target;
  };
}
