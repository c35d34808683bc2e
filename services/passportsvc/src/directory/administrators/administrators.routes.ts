import { z } from 'zod';
import { noContent, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { User } from '../../scim/users/user.js';
import type { Administrators } from './administrators.js';

const Administrator = z
  .object({
    _id: User.shape._id,
    _orgId: User.shape._orgId,
    _userName: z.string().describe('The user name.'),
    _active: z.boolean().describe('Whether the user can sign in.'),
  })
  .meta({ id: 'Administrator', description: 'A user who administers the platform.' });

const Params = z.object({ id: User.shape._id });
const PagingQuery = z.object(pagingParameters());

const showAdministrator = ({ _id, _orgId, userName, active }: User): z.infer<typeof Administrator> => ({
  ...{ _id, _orgId, _userName: userName, _active: active },
});

const callers: ('admin' | 'trusted')[] = ['admin', 'trusted'];

export const administratorRoutes = ({ administrators }: { administrators: Administrators }) =>
  routes('/administrators', [
    route.get('/', {
      operation: 'administrators.list',
      summary: 'List the administrators of the platform. For administrators and trusted clients.',
      callers,
      query: PagingQuery,
      responses: {
        200: pageOf(Administrator).meta({ id: 'AdministratorPage', description: 'A page of administrators.' }),
      },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await administrators.list(paging), paging, showAdministrator);
      },
    }),
    route.put('/:id', {
      operation: 'administrators.add',
      summary:
        'Make a user an administrator of the platform, from the next sign-in on. For administrators and trusted clients.',
      callers,
      params: Params,
      responses: { 204: null },
      handler: async ({ params }) => {
        await administrators.add(params.id);
        return noContent();
      },
    }),
    route.delete('/:id', {
      operation: 'administrators.remove',
      summary:
        'Make an administrator a user again, and sign the user out everywhere. For administrators and trusted clients.',
      errors: [errors.lastAdministrator],
      callers,
      params: Params,
      responses: { 204: null },
      handler: async ({ params }) => {
        await administrators.remove(params.id);
        return noContent();
      },
    }),
  ]);
