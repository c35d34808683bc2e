import { z } from 'zod';
import { documents, noContent, ok, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { User } from '../../scim/users/user.js';
import { Session } from './sessions.js';
import type { Sessions } from './sessions.js';

const SessionList = z
  .object({ _list: z.array(Session).describe('The sessions, newest first: at most 100 of each type.') })
  .meta({ id: 'SessionList', description: 'The sessions of a user.' });
const UserParams = z.object({ id: User.shape._id });
const SessionParams = UserParams.extend({ sessionId: Session.shape._id });

const callers: ('app' | 'trusted' | 'admin')[] = ['app', 'trusted', 'admin'];
const managed = { needs: documents({ rule: 'organization' }), callers };

export const sessionRoutes = ({ sessions }: { sessions: Sessions }) =>
  routes('/users', [
    route.get('/:id/sessions', {
      operation: 'sessions.list',
      summary: 'List where a user is signed in: browsers, and apps with tokens of the user.',
      ...managed,
      params: UserParams,
      responses: { 200: SessionList },
      handler: async ({ params, access }) => ok({ _list: await sessions.list(params.id, access) }),
    }),
    route.delete('/:id/sessions', {
      operation: 'sessions.endAll',
      summary: 'Sign a user out everywhere. All sessions and tokens end immediately; the user can sign in again.',
      errors: [errors.administratorOnly],
      ...managed,
      params: UserParams,
      responses: { 204: null },
      handler: async ({ params, access }) => {
        await sessions.endAll(params.id, access);
        return noContent();
      },
    }),
    route.delete('/:id/sessions/:sessionId', {
      operation: 'sessions.end',
      summary: 'End a session: sign a browser out, or reject the tokens of an app immediately.',
      description: 'Apps that the user signed in to with a browser are sessions of their own.',
      errors: [errors.administratorOnly],
      ...managed,
      params: SessionParams,
      responses: { 204: null },
      handler: async ({ params, access }) => {
        await sessions.end(params.id, params.sessionId, access);
        return noContent();
      },
    }),
  ]);
