import { TOKEN_FIELD } from './form-tokens.js';
import { html } from './html.js';
import type { Page } from './page.js';
import { shownDestination, strangerText } from './stranger-text.js';

export interface ConsentPage {
  appName: string;
  orgName: string;
  /** Where the app receives the answer: an origin, or the scheme of a mobile app. */
  destination: string;
  userName: string;
  theme?: string;
  /** Where the form is submitted to. */
  action: string;
  token: string;
  signOutUrl: string;
  problem?: string;
}

export const consentPage = (page: ConsentPage): Page => ({
  title: 'Allow access',
  theme: page.theme,
  formTarget: page.destination,
  content: html`<h1>Allow ${strangerText(page.appName)} to act for you?</h1>
    ${page.problem ? html`<p class="problem" role="alert">${page.problem}</p>` : ''}
    <p>This application does not belong to your organization.</p>
    <dl>
      <dt>Application</dt>
      <dd>${strangerText(page.appName)}</dd>
      <dt>Organization</dt>
      <dd>${strangerText(page.orgName)}</dd>
      <dt>You will be sent to</dt>
      <dd>${shownDestination(page.destination)}</dd>
      <dt>You are signed in as</dt>
      <dd>${strangerText(page.userName)} (<a href="${page.signOutUrl}">sign out</a>)</dd>
    </dl>
    <p>If you allow it, the application can read and change everything that you can, until you revoke your consent.</p>
    <form method="post" action="${page.action}">
      <input type="hidden" name="${TOKEN_FIELD}" value="${page.token}" />
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny" class="secondary">Do not allow</button>
    </form>`,
});
