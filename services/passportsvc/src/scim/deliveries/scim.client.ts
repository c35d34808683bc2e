import { z } from 'zod';
import { EgressFailed, EgressRejected } from '@dtplatform/egress';
import type { Egress, EgressAnswer, EgressRequest } from '@dtplatform/egress';
import { comparableName } from '../users/comparable.js';
import type { RemoteProfile } from './deliver-user.js';
import { DeliveryFailed } from './delivery.js';
import { createServerToken, parsedJson } from './server-token.client.js';
import type { ServerCredentials } from './server-token.client.js';

/** The id becomes a path segment; dots would escape it. */
const RemoteId = z
  .string()
  .min(1)
  .max(1024)
  .refine((id) => id !== '.' && id !== '..');
const Resource = z.object({ id: RemoteId, externalId: z.unknown().optional(), userName: z.unknown().optional() });
const List = z.object({ Resources: z.array(z.unknown()).optional(), resources: z.array(z.unknown()).optional() });

type NamingAttribute = 'externalId' | 'userName';
/** How servers reject an unsupported filter. */
const FILTER_REFUSED = [400, 405, 422, 501];

/** Statuses that concern the server or the credentials, not the user. */
const concernsServer = (status: number) => status >= 500 || [401, 403, 408, 429].includes(status);

export function createScimClient({ baseUrl, ...credentials }: ServerCredentials & { baseUrl: string }, egress: Egress) {
  const serverToken = createServerToken(credentials, egress);
  const users = baseUrl.replace(/\/+$/, '');
  const urlOf = (id: string) => `${users}/${encodeURIComponent(id)}`;

  async function send(call: EgressRequest, signal: AbortSignal): Promise<EgressAnswer> {
    const sendWith = (token: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/scim+json, application/json',
        ...(call.body !== undefined && { 'content-type': 'application/scim+json' }),
      };
      return egress.request({ ...call, headers, signal });
    };
    const token = await serverToken.get(signal);
    const response = await sendWith(token);
    if (response.status !== 401) return response;
    serverToken.discard(token);
    return sendWith(await serverToken.get(signal));
  }

  async function call(request: EgressRequest, expected: number[], signal: AbortSignal): Promise<EgressAnswer> {
    const response = await send(request, signal).catch((error: unknown) => {
      throw asFailure(error);
    });
    if (expected.includes(response.status)) return response;
    const message = `the server responded to ${request.method} with ${response.status}`;
    throw new DeliveryFailed(message, { concernsServer: concernsServer(response.status) });
  }

  const search = (attribute: NamingAttribute, value: string, signal: AbortSignal, expected: number[] = []) => {
    const filter = `${attribute} eq ${JSON.stringify(value)}`;
    const parameters = new URLSearchParams({ filter, attributes: 'userName,externalId' }).toString();
    return call({ method: 'GET', url: `${users}?${parameters}` }, [200, 404, ...expected], signal);
  };

  const findByUserName = async (userName: string, signal: AbortSignal) =>
    idIn(await search('userName', userName, signal), 'userName', userName);

  return {
    findByUserName,
    /**
     * The server's id of the user with our id; undefined when it has none. Falls back to the name, if given, where the
     * server cannot filter by `externalId`.
     */
    async find(
      { externalId, userName }: Pick<RemoteProfile, 'externalId'> & { userName?: string },
      signal: AbortSignal,
    ): Promise<string | undefined> {
      const response = await search('externalId', externalId, signal, userName === undefined ? [] : FILTER_REFUSED);
      if (userName !== undefined && FILTER_REFUSED.includes(response.status)) return findByUserName(userName, signal);
      return idIn(response, 'externalId', externalId);
    },

    /** @returns the server's id of the new user; undefined when it already has the user */
    async create(user: RemoteProfile, signal: AbortSignal): Promise<string | undefined> {
      const response = await call({ method: 'POST', url: users, body: JSON.stringify(user) }, [200, 201, 409], signal);
      if (response.status === 409) return undefined;
      const created = Resource.safeParse(parsedJson(response.body));
      if (created.success) return created.data.id;
      throw new DeliveryFailed('the server created the user, but responded without its id', { concernsServer: false });
    },

    /** @returns false when the server does not have the user */
    async replace(id: string, user: RemoteProfile, signal: AbortSignal): Promise<boolean> {
      const body = JSON.stringify({ ...user, id });
      const put = { method: 'PUT', url: urlOf(id), body, statusOnly: true } as const;
      return (await call(put, [200, 204, 404], signal)).status !== 404;
    },

    /** Idempotent. */
    async remove(id: string, signal: AbortSignal): Promise<void> {
      await call({ method: 'DELETE', url: urlOf(id), statusOnly: true }, [200, 202, 204, 404], signal);
    },
  };
}

export type RemoteUsers = ReturnType<typeof createScimClient>;

/** The id of the listed user with this name. A server that ignores the filter lists other users, too. */
function idIn({ status, body }: EgressAnswer, attribute: NamingAttribute, value: string): string | undefined {
  if (status === 404) return undefined;
  const list = List.safeParse(parsedJson(body));
  const found = list.success ? (list.data.Resources ?? list.data.resources ?? []) : [];
  return found.map((one) => Resource.safeParse(one).data).find((one) => one && isSame(one[attribute], value))?.id;
}

const isSame = (attribute: unknown, value: string) =>
  typeof attribute === 'string' && comparableName(attribute) === comparableName(value);

function asFailure(error: unknown): unknown {
  if (error instanceof EgressRejected) {
    return new DeliveryFailed(`the address of the server ${error.message}`, { concernsServer: true, cause: error });
  }
  if (error instanceof EgressFailed) return new DeliveryFailed(error.message, { concernsServer: true, cause: error });
  return error;
}
