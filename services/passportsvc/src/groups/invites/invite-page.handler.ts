import type { ServerResponse } from 'node:http';
import { isRejection } from '@dtplatform/errors';
import type { Handler, RouteResponse } from '@dtplatform/http';
import type { BrowserSession, OAuthProvider } from '../../oauth/authorize/oauth-provider.http.js';
import { STALE_FORM, TOKEN_FIELD } from '../../pages/forms.http.js';
import type { FormTokens } from '../../pages/forms.http.js';
import {
  answeredInvitePage,
  answerInvitePage,
  closedInvitePage,
  inviteOfAnotherPage,
  signInToAnswerPage,
  unknownInvitePage,
} from '../../pages/invites.page.js';
import { sendPage, sendRedirect } from '../../pages/page.http.js';
import type { Page } from '../../pages/page.http.js';
import { INVITES_PATH, inviteSignInUrl } from '../../pages/paths.js';
import { bodyParameters, single } from '../../requests/parameters.http.js';
import type { Invites } from './invites.js';
import type { OpenedInvite } from './opened-invite.js';

export interface InviteParts {
  invites: Invites;
  oauthProvider: OAuthProvider;
  formTokens: FormTokens;
}

interface PageParams {
  params: { id: string };
}

interface Visit {
  link: string;
  session: BrowserSession | undefined;
  problem?: string;
}

const ANSWERS = new Map([
  ['accept', 'ACCEPTED'],
  ['decline', 'REJECTED'],
] as const);

const formOf = (session: BrowserSession, link: string) => ['invite', session.uid, link];

/** GET /invites/{token}. Changes nothing: mail scanners open links, too. */
export const showInvitePage =
  (parts: InviteParts): Handler<PageParams> =>
  async ({ params, req, res }) =>
    sendInvite(parts, { link: params.id, session: await parts.oauthProvider.sessionOf(req, res) }, res);

export const answerInvite =
  (parts: InviteParts): Handler<PageParams> =>
  async ({ params: { id: link }, req, res }) => {
    const form = await bodyParameters(req);
    const session = await parts.oauthProvider.sessionOf(req, res);
    const opened = await parts.invites.open(link, session?.userId);
    if (opened?.status === 'PENDING' && !opened.reader) return sendRedirect(res, inviteSignInUrl(link));
    // Explains why this user cannot answer, as opening the link does.
    if (!opened?.reader?.isInvited || !session) return sendInvite(parts, { link, session }, res);
    const isOurs = parts.formTokens.isValid(single(form, TOKEN_FIELD) ?? '', formOf(session, link));
    const answer = ANSWERS.get(single(form, 'decision') as 'accept' | 'decline');
    if (!isOurs || !answer) return sendInvite(parts, { link, session, problem: STALE_FORM }, res);
    try {
      await parts.invites.answerByLink(link, answer, session.userId);
    } catch (error) {
      // Answered in the meantime, or the group is full.
      if (!isRejection(error)) throw error;
      return sendInvite(parts, { link, session, problem: error.message }, res);
    }
    return sendRedirect(res, `${INVITES_PATH}/${link}`);
  };

async function sendInvite(parts: InviteParts, visit: Visit, res: ServerResponse): Promise<RouteResponse> {
  const invite = await parts.invites.open(visit.link, visit.session?.userId);
  return sendPage(res, ...pageOf(parts, invite, visit));
}

function pageOf(
  { formTokens }: InviteParts,
  invite: OpenedInvite | undefined,
  { link, session, problem }: Visit,
): [status: number, page: Page] {
  if (!invite) return [404, unknownInvitePage];
  const { status, reader } = invite;
  if (status !== 'PENDING') {
    const isOwn = reader?.hasAnswered && status !== 'CANCELLED';
    return isOwn ? [200, answeredInvitePage(invite)] : [410, closedInvitePage(status, invite)];
  }
  if (!reader || !session) return [200, signInToAnswerPage(invite, link)];
  if (!reader.isInvited) return [403, inviteOfAnotherPage(invite, link, reader.name)];
  const token = formTokens.tokenFor(formOf(session, link));
  const page = answerInvitePage(invite, { link, userName: reader.name, token, problem });
  return [problem === undefined ? 200 : 400, page];
}
