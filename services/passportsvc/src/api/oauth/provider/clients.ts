import type { Provider } from 'oidc-provider';
import { entriesOf } from '../../../domain/apps/app.js';
import type { App } from '../../../domain/apps/app.js';
import type { FindApp } from '../../../domain/oauth/known-apps.js';

type Client = InstanceType<Provider['Client']>;

/**
 * Makes the provider use the platform's apps as its clients. The library would hash and validate a client's metadata on
 * each request; here both happen once for as long as the app is cached.
 */
export function useApps(provider: Provider, findApp: FindApp): void {
  const clients = new WeakMap<App, Client>();
  skipRedirectUriRules(provider);

  provider.Client.find = async (id: string) => {
    const app = await findApp(id);
    if (!app) return undefined;
    const cached = clients.get(app);
    if (cached) return cached;
    const client = newClient(provider, app);
    clients.set(app, client);
    return client;
  };
}

function newClient(provider: Provider, app: App): Client {
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
    grant_types: ['authorization_code', 'implicit'],
    // Apps authenticate at the token endpoint, which is the platform's own.
    token_endpoint_auth_method: 'none',
  });
}

/** Redirect URIs were validated when the app was created, by rules that allow the custom schemes of mobile apps. */
function skipRedirectUriRules(provider: Provider): void {
  const { Schema } = provider.Client as unknown as { Schema: { prototype: { redirectUris: () => void } } };
  Schema.prototype.redirectUris = () => undefined;
}
