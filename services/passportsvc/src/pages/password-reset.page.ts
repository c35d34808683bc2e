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
    <p>Enter your user name, and we will email you a link.</p>
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
  'Check your email',
  'If this user exists, we have sent an email with a link. The link works once, within 30 minutes.',
  html`<p>No email? Check your spam folder, or ask your administrator which address your account has.</p>
    <p class="more"><a href="${PASSWORD_RESET_PATH}">Try again</a></p>`,
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
    label: 'Repeat the new password',
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
  title: 'Your password has been changed',
  content: html`<h1>Your password has been changed</h1>
    ${doneText('You are signed out everywhere.')}
    <p>Sign in with the new password: from your application, or to <a href="${ACCOUNT_PATH}">your account</a>.</p>`,
};

export const deadLinkPage = (state: 'used' | 'expired'): Page => ({
  ...messagePage(
    state === 'used' ? 'This link has already been used' : 'This link no longer works',
    state === 'used'
      ? 'If that was you, sign in with your new password. Otherwise, request another link.'
      : 'Links work for 30 minutes. Request another one.',
    html`<p class="more"><a href="${PASSWORD_RESET_PATH}">Ask for another link</a></p>`,
  ),
  hasProblem: true,
});
