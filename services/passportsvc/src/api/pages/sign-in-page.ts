import { destinationOf } from '../../domain/consents/consent.js';
import { html } from './html.js';
import type { Page } from './page.js';

export interface SignInPage {
  appName: string;
  theme?: string;
  /** Where the form is submitted to. */
  action: string;
  /** The app's page that the browser returns to. */
  redirectUri: string;
  userName?: string;
  problem?: string;
}

export const signInPage = (page: SignInPage): Page => ({
  title: 'Sign in',
  theme: page.theme,
  formTarget: destinationOf(page.redirectUri),
  content: html`<h1>Sign in to ${page.appName}</h1>
    ${page.problem ? html`<p class="problem" role="alert">${page.problem}</p>` : ''}
    <form method="post" action="${page.action}">
      <label for="username">User name</label>
      <input
        id="username"
        name="username"
        value="${page.userName}"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        required
        autofocus
      />
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required />
      <button type="submit">Sign in</button>
    </form>`,
});
