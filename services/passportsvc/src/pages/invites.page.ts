import type { InviteStatus } from '../groups/invites/invite.js';
import type { OpenedInvite } from '../groups/invites/opened-invite.js';
import { doneText, hiddenFields, problemText } from './form-fields.http.js';
import { fact, html, strangerText, timeOf } from './html.js';
import type { Html } from './html.js';
import { messagePage } from './page.http.js';
import type { Page } from './page.http.js';
import { ACCOUNT_PATH, INVITES_PATH, inviteSignInUrl } from './paths.js';

const groupOf = ({ groupName }: OpenedInvite): Html => (groupName ? strangerText(groupName) : html`the group`);

const factsOf = (invite: OpenedInvite): Html =>
  html`<dl>
    ${fact('Invited by', strangerText(invite.invitedBy))} ${fact('Organization', strangerText(invite.orgName))}
    ${fact('Sent to', strangerText(invite.email))} ${fact('Open until', timeOf(invite.expiresAt))}
  </dl>`;

const joinPage = (invite: OpenedInvite, answer: Html, problem?: string): Page => ({
  title: 'Join a group',
  theme: invite.theme,
  hasProblem: problem !== undefined,
  content: html`<h1>Join ${groupOf(invite)}?</h1>
    ${invite.description ? html`<p><bdi>${invite.description}</bdi></p>` : ''} ${problemText(problem)}
    ${factsOf(invite)} ${answer}`,
});

/** For a signed-out visitor. @param link the token of the link */
export const signInToAnswerPage = (invite: OpenedInvite, link: string): Page =>
  joinPage(
    invite,
    html`<p>To accept or decline, sign in as the user with this address.</p>
      <p><a class="button" href="${inviteSignInUrl(link)}">Sign in</a></p>
      <section>
        <h2>No account yet?</h2>
        <p class="lead">
          Your administrator can create an account with this address. Ask them, or ${strangerText(invite.invitedBy)}.
          Then open this link again.
        </p>
      </section>`,
  );

export const answerInvitePage = (
  invite: OpenedInvite,
  { link, userName, token, problem }: { link: string; userName: string; token: string; problem?: string },
): Page =>
  joinPage(
    invite,
    html`<p>
        You are signed in as ${strangerText(userName)}. Members of the group will see your name and your email address.
      </p>
      <form method="post" action="${INVITES_PATH}/${link}">
        ${hiddenFields({}, token)}
        <button type="submit" name="decision" value="accept">Join the group</button>
        <button type="submit" name="decision" value="decline" class="secondary">Decline</button>
      </form>
      <p class="more"><a href="${inviteSignInUrl(link)}">Sign in as someone else</a></p>`,
    problem,
  );

/** For a user with another address. */
export const inviteOfAnotherPage = ({ email, theme }: OpenedInvite, link: string, userName: string): Page => ({
  title: 'This invite is for someone else',
  theme,
  hasProblem: true,
  content: html`<h1>This invite is for someone else</h1>
    <p>It was sent to ${strangerText(email)}. You are signed in as ${strangerText(userName)}.</p>
    <p><a class="button" href="${inviteSignInUrl(link)}">Sign in as someone else</a></p>
    <p>Or ask for a new invite to the address of your account.</p>`,
});

const backTo = (home: string | undefined) =>
  home === undefined ? toAccount : html`<p><a class="button" href="${home}">Go back to your application</a></p>`;

const toAccount = html`<p class="more"><a href="${ACCOUNT_PATH}">Your account</a></p>`;

export const answeredInvitePage = (invite: OpenedInvite): Page =>
  invite.status === 'ACCEPTED'
    ? {
        title: 'You have joined',
        theme: invite.theme,
        content: html`<h1>You have joined ${groupOf(invite)}</h1>
          ${doneText('You have accepted the invite.')}
          <p>Your application now shows you what members of the group can see.</p>
          ${backTo(invite.home)}`,
      }
    : messagePage(
        'You have declined',
        'You are not a member of the group. If you change your mind, ask for a new invite.',
        backTo(invite.home),
        invite.theme,
      );

const ASK_AGAIN = 'Ask for a new one.';

const CLOSED: Record<Exclude<InviteStatus, 'PENDING'>, [title: string, message: string]> = {
  ACCEPTED: ['This invite has been accepted', 'An invite works once. If you accepted it, you are a member.'],
  REJECTED: ['This invite has been declined', `An invite works once. ${ASK_AGAIN}`],
  EXPIRED: ['This invite has expired', `An invite is open for seven days. ${ASK_AGAIN}`],
  CANCELLED: ['This invite was cancelled', 'Ask the person who sent it for a new one.'],
};

/** An invite that can no longer be answered. Reveals no names. */
export const closedInvitePage = (
  status: keyof typeof CLOSED,
  { theme, home }: Pick<OpenedInvite, 'theme' | 'home'>,
): Page => ({
  ...messagePage(...CLOSED[status], backTo(home), theme),
  hasProblem: true,
});

export const unknownInvitePage: Page = {
  ...messagePage(
    'Invite not found',
    'The link is incomplete, or the group no longer exists. Open the link in the email again, or ask for a new invite.',
  ),
  hasProblem: true,
};
