import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { OAuthProvider } from '../oauth/authorize/oauth-provider.http.js';
import { bodyParameters, readByHandler, single } from '../requests/parameters.http.js';

const csrf_token = z
  .string()
  .describe('The hidden field of the page, which proves that the form came from this browser.');
const text = (description: string) => z.string().describe(description);
const form = <S extends z.ZodRawShape>(id: string, description: string, fields: S) =>
  z.object(fields).meta({ id, description });

const credentials = {
  username: text('The user name.'),
  password: text('The password.'),
};
const newPassword = {
  new_password: text('The new password, of 10 to 1024 characters.'),
  repeat_password: text('The new password, repeated.'),
};

export const SignInForm = form('SignInForm', 'The form of the sign-in page of an app.', credentials);
export const AccountSignInForm = form('AccountSignInForm', 'The form of the sign-in page without an app.', {
  ...credentials,
  csrf_token,
});
export const ConsentForm = form('ConsentForm', 'The form of the consent page.', {
  decision: z.enum(['allow', 'deny']).describe('Whether the app may act for the user.'),
  csrf_token,
});
export const InviteAnswerForm = form('InviteAnswerForm', 'The form of the page of an invite link.', {
  decision: z.enum(['accept', 'decline']).describe('Whether the user becomes a member of the group.'),
  csrf_token,
});
export const EndSessionForm = form('EndSessionForm', 'A button of the account page.', {
  session: text('The id of the session to end; `others` for all but this one.'),
  csrf_token,
});
export const WithdrawConsentForm = form('WithdrawConsentForm', 'A button of the account page.', {
  app: text('The id of the app whose consent to revoke.'),
  csrf_token,
});
export const ChangePasswordForm = form('ChangePasswordForm', 'The form of the account page for a new password.', {
  current_password: text('The current password.'),
  ...newPassword,
  csrf_token,
});
export const ResetRequestForm = form('ResetRequestForm', 'The form for requesting a new password.', {
  username: text('The user name.'),
  csrf_token,
});
export const NewPasswordForm = form('NewPasswordForm', 'The form for setting a new password.', {
  token: text('The token from the link.'),
  ...newPassword,
  csrf_token,
});

const signOutFields = {
  id_token_hint: readByHandler('A token that the app received for the user; it may have expired.'),
  client_id: readByHandler('The id of the app; not needed with `id_token_hint`.'),
  post_logout_redirect_uri: readByHandler(
    'Where the browser continues; must have the origin of a redirect URI of the app.',
  ),
  state: readByHandler('A value that is returned to `post_logout_redirect_uri`.'),
};
export const SignOutQuery = z.object(signOutFields);
export const SignOutForm = form('SignOutForm', 'The confirmation of a sign-out, or the request of an app for one.', {
  ...signOutFields,
  csrf_token: readByHandler('The hidden field of the page; without it, the user is asked to confirm.'),
});

export const AccountQuery = z.object({
  done: readByHandler('What the page confirms: `session`, `sessions`, `consent` or `password`.'),
});
export const AccountSignInQuery = z.object({
  invite: readByHandler('The token from an invite link, which opens after the sign-in.'),
});
export const ResetLinkQuery = z.object({ token: readByHandler('The token from the link.') });

const COOKIE = 'dtp_form';
const SENT = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{22})(?:;|$)`);

/**
 * Identifies a signed-out browser for the tokens of its forms, by a cookie that cross-site posts lack. Sets the cookie
 * if the browser has none.
 */
function formSession(req: IncomingMessage, res: ServerResponse, { protocol }: URL): string {
  const sent = SENT.exec(req.headers.cookie ?? '')?.[1];
  if (sent !== undefined) return sent;
  const id = randomBytes(16).toString('base64url');
  const secure = protocol === 'https:' ? '; Secure' : '';
  res.appendHeader('set-cookie', `${COOKIE}=${id}; Path=/passportsvc; HttpOnly; SameSite=Strict${secure}`);
  return id;
}

export const TOKEN_FIELD = 'csrf_token';

export type FormTokens = ReturnType<typeof createFormTokens>;

/**
 * CSRF tokens: prove that a form was sent from our page in the same session. They are not stored.
 * @param key see `DerivedKeys`
 */
export function createFormTokens(key: () => Buffer) {
  /** @param purpose the form's name, the session, and the subject of the form */
  const tokenFor = (purpose: string[]): string =>
    createHmac('sha256', key()).update(JSON.stringify(purpose)).digest('base64url');

  return {
    tokenFor,
    isValid(sent: string, purpose: string[]): boolean {
      const [actual, expected] = [Buffer.from(sent), Buffer.from(tokenFor(purpose))];
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}

/** Shown for a form that came from another site, from an outdated page, or without the cookie. */
export const STALE_FORM = 'The form has expired, or your browser blocks cookies. Please try again.';

export interface SentForm {
  token: string;
  /** Whether it was sent from our page in this browser. */
  isOurs: boolean;
  /** The value of a field, or an empty string. */
  read: (name: string) => string;
}

interface Tools {
  formTokens: FormTokens;
  oauthProvider: Pick<OAuthProvider, 'issuer'>;
}

export const anonymousToken = (
  { formTokens, oauthProvider }: Tools,
  purpose: string,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
): string => formTokens.tokenFor([purpose, formSession(req, res, oauthProvider.issuer)]);

/** @throws invalidRequest, payloadTooLarge, unsupportedMediaType */
export async function readForm(
  tools: Tools,
  purpose: string,
  exchange: { req: IncomingMessage; res: ServerResponse },
): Promise<SentForm> {
  const form = await bodyParameters(exchange.req);
  const session = formSession(exchange.req, exchange.res, tools.oauthProvider.issuer);
  const read = (name: string) => single(form, name) ?? '';
  return {
    token: tools.formTokens.tokenFor([purpose, session]),
    isOurs: tools.formTokens.isValid(read(TOKEN_FIELD), [purpose, session]),
    read,
  };
}
