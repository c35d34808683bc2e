import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import { entriesOf } from '../../directory/apps/app.js';
import type { App } from '../../directory/apps/app.js';
import type { FindApp } from '../token/known.js';

type Client = InstanceType<Provider['Client']>;

/**
 * Makes the apps of the platform the provider's clients. The library would hash and validate a client's metadata on
 * each request; here both happen once per cached app.
 *
 * The only file that patches the library, which has no options for this: client lookup and two client rules.
 * authorize-errors.test.ts and authorization-code.test.ts fail when a patch no longer applies.
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
  const client = new ClientModel({
    client_id: app._id,
    client_name: app._name,
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? responseTypes : [],
    grant_types: ['authorization_code', 'implicit'],
    // Apps authenticate at the platform's own token endpoint.
    token_endpoint_auth_method: 'none',
  });
  return Object.assign(client, { responseTypeAllowed: onlyOf(responseTypes) });
}

/**
 * The library would respond with `invalid_request` (RFC 6749, sections 4.1.2.1 and 4.2.2.1). @throws
 * unauthorized_client
 */
const onlyOf = (allowed: string[]) => (type: string) => {
  if (!allowed.includes(type))
    throw new errors.UnauthorizedClient('The application is not allowed to use this response_type.');
  return true;
};

/**
 * Apps validate their redirect URIs at creation, by rules that allow the custom schemes of mobile apps. The library
 * allows these to native clients only, and those may also use any port.
 */
function skipRedirectUriRules(provider: Provider): void {
  const { Schema } = provider.Client as unknown as { Schema: { prototype: { redirectUris: () => void } } };
  Schema.prototype.redirectUris = () => undefined;
}
