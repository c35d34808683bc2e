import { hiddenFields, problemText } from './form-fields.http.js';
import { html, shownDestination } from './html.js';
import type { Page } from './page.http.js';

export interface SignOutPage {
  action: string;
  token: string;
  hidden: Record<string, string>;
  /** Where the browser goes afterwards: an origin, or the scheme of a mobile app. */
  destination?: string;
  problem?: string;
}

export const signOutPage = ({ action, token, hidden, destination, problem }: SignOutPage): Page => ({
  title: 'Sign out',
  hasProblem: problem !== undefined,
  formTarget: destination,
  content: html`<h1>Sign out?</h1>
    <p>You stay signed in to your applications until you sign out of them as well.</p>
    ${problemText(problem)} ${destination ? html`<p>You will be sent to ${shownDestination(destination)}.</p>` : ''}
    <form method="post" action="${action}">
      ${hiddenFields(hidden, token)}
      <button type="submit">Sign out</button>
    </form>`,
});
