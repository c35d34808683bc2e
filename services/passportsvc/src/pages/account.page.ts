import type { ShownAccount, UserSession } from '../oauth/account/account.js';
import type { Consent } from '../oauth/consents/consent.js';
import { doneText, field, hiddenFields, problemText } from './form-fields.http.js';
import { html, shownDestination, strangerText, timeOf, timeText } from './html.js';
import type { Html } from './html.js';
import type { Page } from './page.http.js';
import { newPasswordFields } from './password-reset.page.js';
import { ACCOUNT_PATH, SIGN_OUT_PATH } from './paths.js';

export interface AccountPage {
  account: ShownAccount;
  sessionUid: string;
  consents: Consent[];
  token: string;
  done?: string;
  problem?: string;
}

export const accountPage = (page: AccountPage): Page => ({
  title: 'Your account',
  hasProblem: page.problem !== undefined,
  isWide: true,
  content: html`<h1>Your account</h1>
    <p>${strangerText(page.account.name)}, user name ${strangerText(page.account.userName)}</p>
    ${doneText(page.done)} ${problemText(page.problem)} ${sessionsOf(page)} ${consentsOf(page)} ${passwordOf(page)}`,
});

const sessionsOf = ({ account, sessionUid, token }: AccountPage): Html =>
  html`<section>
    <h2>Where you are signed in</h2>
    <ul class="rows">
      ${account.sessions.map((session) => sessionRow(session, session.uid === sessionUid, token))}
    </ul>
    ${
      account.sessions.length > 1
        ? html`<form class="short" method="post" action="${ACCOUNT_PATH}/sessions">
            ${hiddenFields({ session: 'others' }, token)}
            <button type="submit" class="secondary">Sign out everywhere else</button>
          </form>`
        : ''
    }
  </section>`;

function sessionRow({ uid, signedInAt, expiresAt }: UserSession, isThis: boolean, token: string): Html {
  const since = timeOf(signedInAt);
  const button = html`<form method="post" action="${ACCOUNT_PATH}/sessions">
    ${hiddenFields({ session: uid }, token)}
    <button type="submit" class="secondary" aria-label="Sign out the browser that signed in on ${timeText(signedInAt)}">
      Sign out
    </button>
  </form>`;
  return html`<li>
    <div>
      <strong>${isThis ? 'This browser' : 'Another browser'}</strong>
      <p>Signed in on ${since}, expires on ${timeOf(expiresAt)} or earlier</p>
    </div>
    ${isThis ? html`<a href="${SIGN_OUT_PATH}">Sign out</a>` : button}
  </li>`;
}

const consentsOf = ({ consents, token }: AccountPage): Html =>
  html`<section>
    <h2>Applications that may act for you</h2>
    ${
      consents.length === 0
        ? html`<p class="lead">You have not allowed any application from another organization to act for you.</p>`
        : html`<ul class="rows">
            ${consents.map((consent) => consentRow(consent, token))}
          </ul>`
    }
  </section>`;

const consentRow = ({ _appId, _appName, _orgName, _destinations, _metadata }: Consent, token: string): Html =>
  html`<li>
    <div>
      ${strangerText(_appName)}
      <p>
        ${strangerText(_orgName)}, allowed on ${timeOf(_metadata._createdAt)} for
        ${_destinations.map((destination) => html`${shownDestination(destination)} `)}
      </p>
    </div>
    <form method="post" action="${ACCOUNT_PATH}/consents">
      ${hiddenFields({ app: _appId }, token)}
      <button type="submit" class="secondary" aria-label="Revoke your consent to ${_appName}">Revoke</button>
    </form>
  </li>`;

const passwordOf = ({ problem, account, token }: AccountPage): Html =>
  html`<section>
    <h2>Password</h2>
    <p class="lead">Changing it signs you out everywhere else.</p>
    <form method="post" action="${ACCOUNT_PATH}/password">
      ${hiddenFields({}, token)}
      <input type="text" name="username" value="${account.userName}" autocomplete="username" hidden readonly />
      ${field({
        name: 'current_password',
        label: 'Current password',
        type: 'password',
        autocomplete: 'current-password',
        isWrong: problem !== undefined,
        hasFocus: problem !== undefined,
      })}
      ${newPasswordFields(problem !== undefined, false)}
      <button type="submit">Change the password</button>
    </form>
  </section>`;
