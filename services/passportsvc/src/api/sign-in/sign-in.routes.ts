import { ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { openSignIn } from './open-sign-in.js';
import { showSignIn } from './show-sign-in.js';
import { SignInParams } from './sign-in.schemas.js';
import { signOut } from './sign-out.handler.js';
import { submitSignIn } from './submit-sign-in.handler.js';

const page = { contentType: 'text/html', description: 'A page.' };
const redirect = { contentType: 'text/html', description: 'Leads back to the authorize endpoint.' };

/** The pages of the sign-in. */
export const signInRoutes = (deps: Deps) =>
  routes('/oauth/signin', [
    route.get('/:uid', {
      operation: 'signin.show',
      summary: 'The sign-in page.',
      auth: 'none',
      params: SignInParams,
      replies: { 200: page },
      handler: async ({ params, req, res }) => {
        const interaction = await openSignIn(await deps.oauth.provider(), params.uid, req, res);
        if (interaction) await showSignIn(deps, interaction, res);
        return ok(undefined);
      },
    }),
    route.post('/:uid', {
      operation: 'signin.submit',
      summary: 'Sign in with the form fields username and password.',
      auth: 'none',
      params: SignInParams,
      streamedBody: 'application/x-www-form-urlencoded',
      replies: { 303: redirect, 401: page },
      handler: submitSignIn(deps),
    }),
  ]);

export const signOutRoutes = (deps: Deps) =>
  routes('/logout', [
    route.get('/', {
      operation: 'signout.get',
      summary: 'Sign this browser out.',
      auth: 'none',
      replies: { 200: page },
      handler: signOut(deps),
    }),
    route.post('/', {
      operation: 'signout.post',
      summary: 'Sign this browser out.',
      auth: 'none',
      replies: { 200: page },
      handler: signOut(deps),
    }),
  ]);
