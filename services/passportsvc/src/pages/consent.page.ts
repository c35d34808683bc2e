import { hiddenFields, problemText } from './form-fields.http.js';
import { fact, html, shownDestination, strangerText } from './html.js';
import type { Page } from './page.http.js';

export interface ConsentPage {
  appName: string;
  orgName: string;
  /** Where the app receives the response: an origin, or the scheme of a mobile app. */
  destination: string;
  userName: string;
  theme?: string;
  action: string;
  token: string;
  signOutUrl: string;
  problem?: string;
}

export const consentPage = (page: ConsentPage): Page => ({
  title: 'Allow access',
  theme: page.theme,
  hasProblem: page.problem !== undefined,
  formTarget: page.destination,
  content: html`<h1>Allow ${strangerText(page.appName)} to act for you?</h1>
    <p>This application does not belong to your organization.</p>
    ${problemText(page.problem)}
    <dl>
      ${fact('Application', strangerText(page.appName))} ${fact('Organization', strangerText(page.orgName))}
      ${fact('You will be sent to', shownDestination(page.destination))}
      ${fact('You are signed in as', html`${strangerText(page.userName)} (<a href="${page.signOutUrl}">sign out</a>)`)}
    </dl>
    <p>If you allow it, the application can read and change everything that you can, until you revoke your consent.</p>
    <form method="post" action="${page.action}">
      ${hiddenFields({}, page.token)}
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny" class="secondary">Do not allow</button>
    </form>`,
});
