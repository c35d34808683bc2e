import { type Client, clientCredentials, createClient } from '@dtplatform/sdk';
import type { DevJson } from '../state/dev-settings.js';
import { signIn, type Tokens } from '../tour/http/sign-in.js';
import type { DemoUser } from './seed/people.js';

/** A client of the application, all of whose calls the signal aborts. */
export function clientOfApp({ baseUrl, appId, appSecret }: DevJson, signal: AbortSignal): Client {
  const auth = clientCredentials({ baseUrl, clientId: appId, clientSecret: appSecret });
  return abortable(createClient({ baseUrl, auth }), signal);
}

/** A client of a user, who signs in again when half of the token's time is over. */
export function clientOfUser(dev: DevJson, user: DemoUser, namespace: string | undefined, signal: AbortSignal): Client {
  let tokens: Tokens | undefined;
  let staleAt = 0;
  const auth = async () => {
    if (tokens === undefined || Date.now() > staleAt) {
      tokens = await signIn({ ...dev, signal }, user);
      staleAt = Date.now() + tokens.expires_in * 500;
    }
    return tokens.access_token;
  };
  return abortable(createClient({ baseUrl: dev.baseUrl, auth, namespace }), signal);
}

function abortable(client: Client, signal: AbortSignal): Client {
  return {
    ...client,
    call: (operation, ...[input]) => client.call(operation, ...([{ signal, ...input }] as never)),
    send: (operation, ...[input]) => client.send(operation, ...([{ signal, ...input }] as never)),
    open: (path, request) => client.open(path, { signal, ...request }),
    in: (namespace) => abortable(client.in(namespace), signal),
  };
}
