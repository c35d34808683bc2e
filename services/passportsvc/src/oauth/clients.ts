import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Provider } from 'oidc-provider';
import { secretMatches } from '../domain/app-secret.js';
import { entriesOf } from '../domain/app.js';
import type { App } from '../domain/app.js';
import type { AppStore } from '../domain/ports.js';
import { formDecoded } from './basic-credentials.js';
import type { LibraryRequest } from './library-request.js';

type Client = InstanceType<Provider['Client']>;

/** An app as the OAuth library sees it: each can be used with its secret, and without it as a public client. */
interface Views {
  confidential: Client;
  open: Client;
}

export interface Clients {
  appOf(client: Client): App;
}

const APP_ID = /^[A-Za-z0-9._~-]{1,64}$/;
const CACHED_APPS = 10_000;
/** How long a change of an app may stay unnoticed. Whoever ends an app must refuse its tokens for so long. */
const MAX_AGE_MS = 3000;

/**
 * Makes the provider take the platform's apps as its clients. The library would hash and validate a client's metadata
 * with each request; here both are done once for as long as the app is cached.
 */
export function useApps(provider: Provider, { apps, secretKey }: { apps: AppStore; secretKey: Buffer }): Clients {
  const cached = new LRUCache<string, Promise<Views | undefined>>({
    max: CACHED_APPS,
    ttl: MAX_AGE_MS,
    ttlResolution: 100,
  });
  const appOfClient = new WeakMap<Client, App>();
  skipRedirectUriRules(provider);

  async function load(id: string): Promise<Views | undefined> {
    const app = await apps.find(id);
    if (!app) return undefined;
    const views = { confidential: confidentialClient(provider, app, secretKey), open: openClient(provider, app) };
    for (const view of Object.values(views)) appOfClient.set(view, app);
    return views;
  }

  function viewsOf(id: string): Promise<Views | undefined> {
    const known = cached.get(id);
    if (known) return known;
    const loading = load(id);
    cached.set(id, loading);
    const forget = () => cached.delete(id);
    loading.then((views) => views ?? forget(), forget);
    return loading;
  }

  provider.Client.find = async (id: string) => {
    if (!APP_ID.test(id)) return undefined;
    const views = await viewsOf(id);
    const request = Provider.ctx?.req as LibraryRequest | undefined;
    return request?.oauth.secretSent ? views?.confidential : views?.open;
  };

  return {
    appOf(client) {
      const app = appOfClient.get(client);
      if (!app) throw new Error('not a client of this provider');
      return app;
    },
  };
}

function confidentialClient(provider: Provider, app: App, secretKey: Buffer): Client {
  // The library insists on a secret; ours are kept hashed, and it is never compared with this one.
  const placeholder = randomBytes(32).toString('base64url');
  const client = newClient(provider, app, {
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: placeholder,
  });
  client.compareClientSecret = (sent) => {
    const plain = secretMatches(sent, app._secretHash, secretKey);
    return plain || secretMatches(formDecoded(sent), app._secretHash, secretKey);
  };
  return client;
}

const openClient = (provider: Provider, app: App) => newClient(provider, app, { token_endpoint_auth_method: 'none' });

function newClient(provider: Provider, app: App, authentication: object): Client {
  const grants = entriesOf(app._authorizedGrantTypes);
  const redirectUris = entriesOf(app._redirectUris);
  const responseTypes = [
    ...(grants.includes('authorization_code') ? ['code'] : []),
    ...(grants.includes('implicit') ? ['code token'] : []),
  ];
  const ClientModel = provider.Client as unknown as new (metadata: object) => Client;
  return new ClientModel({
    client_id: app._id,
    client_name: app._name,
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? responseTypes : [],
    // Whether an app may use a grant is for the grant to say, with the right error.
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
    ...authentication,
  });
}

/** Redirect URIs were validated when the app was written, by our rules: apps on phones have schemes of their own. */
function skipRedirectUriRules(provider: Provider): void {
  const { Schema } = provider.Client as unknown as { Schema: { prototype: { redirectUris: () => void } } };
  Schema.prototype.redirectUris = () => undefined;
}
