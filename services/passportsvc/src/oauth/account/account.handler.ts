import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Handler, RouteResponse } from '@dtplatform/http';
import type { Invites } from '../../groups/invites/invites.js';
import { accountPage } from '../../pages/account.page.js';
import { anonymousToken, readForm, STALE_FORM, TOKEN_FIELD } from '../../pages/forms.http.js';
import type { FormTokens } from '../../pages/forms.http.js';
import { sendPage, sendRedirect } from '../../pages/page.http.js';
import {
  ACCOUNT_PATH,
  ACCOUNT_SIGN_IN_PATH,
  INVITES_PATH,
  inviteSignInUrl,
  PASSWORD_RESET_PATH,
} from '../../pages/paths.js';
import { signInPage, WRONG_CREDENTIALS } from '../../pages/sign-in.page.js';
import { bodyParameters, clientAddress, onlyValue, queryParameters, single } from '../../requests/parameters.http.js';
import { passwordProblem } from '../../scim/users/user.js';
import type { BrowserSession, OAuthProvider } from '../authorize/oauth-provider.http.js';
import type { Consents } from '../consents/consents.js';
import type { SignIn } from '../signin/sign-in.js';
import type { UserAccount } from './account.js';

export interface AccountParts {
  oauthProvider: OAuthProvider;
  formTokens: FormTokens;
  signIn: SignIn;
  account: UserAccount;
  consents: Consents;
  invites: Invites;
}

const PURPOSE = 'account-sign-in';

/**
 * Where a sign-in without an app leads: to the account page, or to the invite whose token is in the query. The page
 * takes the invite's theme.
 */
async function targetOf({ invites }: AccountParts, req: IncomingMessage) {
  const link = onlyValue(queryParameters(req), 'invite') ?? '';
  const invite = await invites.open(link);
  return invite
    ? { action: inviteSignInUrl(link), next: `${INVITES_PATH}/${link}`, theme: invite.theme }
    : { action: ACCOUNT_SIGN_IN_PATH, next: ACCOUNT_PATH };
}

const resetUrl = PASSWORD_RESET_PATH;

export const showSignIn =
  (parts: AccountParts): Handler =>
  async ({ req, res }) => {
    const { action, theme } = await targetOf(parts, req);
    const token = anonymousToken(parts, PURPOSE, { req, res });
    return sendPage(res, 200, signInPage({ action, theme, token, resetUrl }));
  };

export const submitSignIn =
  (parts: AccountParts): Handler =>
  async ({ req, res }) => {
    const { action, next, theme } = await targetOf(parts, req);
    const { token, isOurs, read } = await readForm(parts, PURPOSE, { req, res });
    const userName = read('username');
    const again = (status: number, problem: string) =>
      sendPage(res, status, signInPage({ action, theme, token, resetUrl, userName, problem }));
    if (!isOurs) return again(400, STALE_FORM);
    const user = await parts.signIn.verify(userName, read('password'), clientAddress(req));
    if (!user) return again(401, WRONG_CREDENTIALS);
    await parts.oauthProvider.signIn(req, res, user._id);
    return sendRedirect(res, next);
  };

const MAX_CONSENTS = 100;
const WRONG_PASSWORD = 'The current password is wrong.';

const DONE = new Map([
  ['session', 'That browser is signed out.'],
  ['sessions', 'All other browsers are signed out.'],
  ['consent', 'The application may no longer act for you.'],
  ['password', 'Your password has been changed. You are signed out everywhere else.'],
]);

const formOf = ({ uid }: BrowserSession) => ['account', uid];

export const showAccount =
  (parts: AccountParts): Handler =>
  async ({ req, res }) => {
    const session = await parts.oauthProvider.sessionOf(req, res);
    if (!session) return sendRedirect(res, ACCOUNT_SIGN_IN_PATH);
    const done = DONE.get(onlyValue(queryParameters(req), 'done') ?? '');
    return sendAccount(parts, { session, done }, res);
  };

export const endSession = (parts: AccountParts): Handler =>
  onForm(parts, async ({ session: { userId, uid }, read }) => {
    const ended = read('session');
    if (ended === 'others') await parts.account.endOtherSessions(userId, uid);
    // A session that has already ended is fine, too.
    else await parts.account.endSession(userId, ended);
    return { done: ended === 'others' ? 'sessions' : 'session' };
  });

export const withdrawConsent = (parts: AccountParts): Handler =>
  onForm(parts, async ({ session: { userId }, read }) => {
    await parts.consents.withdraw(read('app'), userId);
    return { done: 'consent' };
  });

export const changePassword = (parts: AccountParts): Handler =>
  onForm(parts, async ({ session: { userId, uid: sessionUid }, read, req }) => {
    const [current, next] = [read('current_password'), read('new_password')];
    const problem = passwordProblem(next, read('repeat_password'));
    if (problem !== undefined) return { problem };
    const change = { userId, current, next, sessionUid, address: clientAddress(req) };
    return (await parts.account.changePassword(change)) ? { done: 'password' } : { problem: WRONG_PASSWORD };
  });

interface Submission {
  session: BrowserSession;
  read: (name: string) => string;
  req: IncomingMessage;
}

/** Handles a form of this session, then redirects to the page or shows the problem. */
const onForm =
  (parts: AccountParts, run: (submission: Submission) => Promise<{ done: string } | { problem: string }>): Handler =>
  async ({ req, res }) => {
    const form = await bodyParameters(req);
    const read = (name: string) => single(form, name) ?? '';
    const session = await parts.oauthProvider.sessionOf(req, res);
    if (!session) return sendRedirect(res, ACCOUNT_SIGN_IN_PATH);
    const isOurs = parts.formTokens.isValid(read(TOKEN_FIELD), formOf(session));
    const result = isOurs ? await run({ session, read, req }) : { problem: STALE_FORM };
    if ('problem' in result) return sendAccount(parts, { session, problem: result.problem }, res);
    return sendRedirect(res, `${ACCOUNT_PATH}?done=${result.done}`);
  };

async function sendAccount(
  { account, consents, formTokens }: AccountParts,
  { session, done, problem }: { session: BrowserSession; done?: string; problem?: string },
  res: ServerResponse,
): Promise<RouteResponse> {
  const [shown, { list }] = await Promise.all([
    account.show(session.userId),
    consents.listOf(session.userId, { offset: 0, pageSize: MAX_CONSENTS }),
  ]);
  if (!shown) return sendRedirect(res, ACCOUNT_SIGN_IN_PATH);
  const token = formTokens.tokenFor(formOf(session));
  const page = accountPage({ account: shown, sessionUid: session.uid, consents: list, token, done, problem });
  return sendPage(res, problem === undefined ? 200 : 400, page);
}
