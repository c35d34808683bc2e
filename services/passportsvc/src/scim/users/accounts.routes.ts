import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { documents, ok, revision, route, routes } from '@dtplatform/http';
import { Account, showAccount } from './accounts.js';
import type { Accounts } from './accounts.js';

interface Parts {
  accounts: Accounts;
}

const AccountParams = z.object({ id: Account.shape._id });

export const userRoutes = (parts: Parts) =>
  routes('/users', [
    me('/me', 'users.me', parts),
    route.get('/:id', {
      operation: 'users.show',
      summary: 'Read a user with whom the caller shares a group, or an organization and a namespace.',
      needs: documents({ rule: 'own' }),
      params: AccountParams,
      etag: revision,
      show: showAccount,
      responses: { 200: Account },
      handler: async ({ params, access }) => ok(await parts.accounts.get(params.id, access)),
    }),
  ]);

/** An alias of `/users/me`. */
export const accountRoutes = (parts: Parts) =>
  routes('/accounts', [me('/me', 'accounts.me', parts, { aliasOf: 'users.me' })]);

const me = (path: string, operation: string, { accounts }: Parts, alias: { aliasOf?: string } = {}) =>
  route.get(path, {
    operation,
    summary: 'Read the calling user.',
    errors: [commonErrors.notFound],
    ...alias,
    needs: documents({ rule: 'own' }),
    callers: ['user', 'admin'],
    etag: revision,
    show: showAccount,
    responses: { 200: Account },
    handler: async ({ access }) => ok(await accounts.get(access.principal.id, access)),
  });
