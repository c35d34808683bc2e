import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../scim/users/user.js';
import { doneText, field, hiddenFields, problemText } from './form-fields.http.js';
import { html } from './html.js';
import type { Html } from './html.js';
import { messagePage } from './page.http.js';
import type { Page } from './page.http.js';
import { ACCOUNT_PATH, NEW_PASSWORD_PATH, PASSWORD_RESET_PATH } from './paths.js';

interface Form {
  token: string;
  problem?: string;
}

export const requestResetPage = ({ token, problem, userName }: Form & { userName?: string }): Page => ({
  title: 'Choose a new password',
  hasProblem: problem !== undefined,
  content: html`<h1>Choose a new password</h1>
    <p>Enter your user name. You get an e-mail with a link.</p>
    ${problemText(problem)}
    <form method="post" action="${PASSWORD_RESET_PATH}">
      ${hiddenFields({}, token)}
      ${field({
        name: 'username',
        label: 'User name',
        autocomplete: 'username',
        value: userName,
        isWrong: problem !== undefined,
        hasFocus: true,
      })}
      <button type="submit">Send the link</button>
    </form>`,
});

/** The same for every name, so that it does not reveal which users exist. */
export const resetRequestedPage: Page = messagePage(
  'Look at your e-mail',
  'If there is a user with this name, an e-mail with a link is on its way. The link works once, for 30 minutes.',
  html`<p>Nothing there? Look into the folder for spam, or ask whoever manages your account for its address.</p>
    <p class="more"><a href="${PASSWORD_RESET_PATH}">Ask again</a></p>`,
);

export const newPasswordFields = (isWrong: boolean, hasFocus: boolean): Html[] => [
  field({
    name: 'new_password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. Several words are easy to remember.`,
    maxLength: MAX_PASSWORD_LENGTH,
    isWrong,
    hasFocus,
  }),
  field({
    name: 'repeat_password',
    label: 'New password, once more',
    type: 'password',
    autocomplete: 'new-password',
    maxLength: MAX_PASSWORD_LENGTH,
    isWrong,
  }),
];

/** The page behind the link in the mail. @param link the token of the link */
export const newPasswordPage = ({ token, problem, link }: Form & { link: string }): Page => ({
  title: 'Choose a new password',
  hasProblem: problem !== undefined,
  content: html`<h1>Choose a new password</h1>
    <p>You will then be signed out everywhere.</p>
    ${problemText(problem)}
    <form method="post" action="${NEW_PASSWORD_PATH}">
      ${hiddenFields({ token: link }, token)} ${newPasswordFields(problem !== undefined, true)}
      <button type="submit">Change the password</button>
    </form>`,
});

export const passwordChangedPage: Page = {
  title: 'Your password is changed',
  content: html`<h1>Your password is changed</h1>
    ${doneText('You are signed out everywhere.')}
    <p>Sign in with the new password: from your application, or to <a href="${ACCOUNT_PATH}">your account</a>.</p>`,
};

export const deadLinkPage = (state: 'used' | 'expired'): Page => ({
  ...messagePage(
    state === 'used' ? 'This link has been used' : 'This link does not work any more',
    state === 'used'
      ? 'If that was you, sign in with your new password. Otherwise ask for another link.'
      : 'A link works for 30 minutes. Ask for another one.',
    html`<p class="more"><a href="${PASSWORD_RESET_PATH}">Ask for another link</a></p>`,
  ),
  hasProblem: true,
});
