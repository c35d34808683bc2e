import { destinationOf } from '../oauth/consents/consent.js';
import { field, hiddenFields, problemText } from './form-fields.http.js';
import { html, strangerText } from './html.js';
import type { Html } from './html.js';
import type { Page } from './page.http.js';

/** One message for every failure, so that it does not reveal which user names exist. */
export const WRONG_CREDENTIALS = 'The user name or the password is wrong.';

export interface SignInPage {
  appName?: string;
  theme?: string;
  action: string;
  /** The app's page that the browser returns to, if outside this service. */
  redirectUri?: string;
  /** For a form outside an app's sign-in. */
  token?: string;
  resetUrl: string;
  userName?: string;
  problem?: string;
}

export const signInPage = (page: SignInPage): Page => ({
  title: page.appName === undefined ? 'Sign in' : `Sign in to ${page.appName}`,
  theme: page.theme,
  hasProblem: page.problem !== undefined,
  formTarget: page.redirectUri === undefined ? undefined : destinationOf(page.redirectUri),
  content: html`<h1>${headingOf(page)}</h1>
    ${problemText(page.problem)}
    <form method="post" action="${page.action}">
      ${page.token === undefined ? '' : hiddenFields({}, page.token)}
      ${field({
        name: 'username',
        label: 'User name',
        autocomplete: 'username',
        value: page.userName,
        isWrong: page.problem !== undefined,
        hasFocus: page.problem === undefined && !page.userName,
      })}
      ${field({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        isWrong: page.problem !== undefined,
        hasFocus: page.problem !== undefined || Boolean(page.userName),
      })}
      <button type="submit">Sign in</button>
    </form>
    <p class="more"><a href="${page.resetUrl}">Forgot your password?</a></p>`,
});

const headingOf = ({ appName }: SignInPage): Html =>
  appName === undefined ? html`Sign in` : html`Sign in to ${strangerText(appName)}`;
