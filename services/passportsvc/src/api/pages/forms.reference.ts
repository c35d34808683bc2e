import { header } from '@dtplatform/http';
import { z } from 'zod';

/** The content type of the forms of pages. */
export const FORM = 'application/x-www-form-urlencoded';

/** Where a redirect leads. */
export const redirectTo = (where: string) => header('Location', where);

const csrf_token = z
  .string()
  .describe('The hidden field of the page, which shows that the form is one of this browser.');
const text = (description: string) => z.string().describe(description);
const form = <S extends z.ZodRawShape>(id: string, description: string, fields: S) =>
  z.object(fields).meta({ id, description });

const credentials = {
  username: text('The user name.'),
  password: text('The password.'),
};
const newPassword = {
  new_password: text('The new password, of 10 to 1024 characters.'),
  repeat_password: text('The new password once more.'),
};

export const SignInForm = form('SignInForm', 'The form of the sign-in page of an app.', credentials);
export const AccountSignInForm = form('AccountSignInForm', 'The form of the sign-in page that needs no app.', {
  ...credentials,
  csrf_token,
});
export const ConsentForm = form('ConsentForm', 'The form of the consent page.', {
  decision: z.enum(['allow', 'deny']).describe('Whether the app may act for the user.'),
  csrf_token,
});
export const InviteAnswerForm = form('InviteAnswerForm', 'The form of the page behind the link of an invite.', {
  decision: z.enum(['accept', 'decline']).describe('Whether the user becomes a member of the group.'),
  csrf_token,
});
export const EndSessionForm = form('EndSessionForm', 'A button of the account page.', {
  session: text('The id of the session to end; `others` for all but this one.'),
  csrf_token,
});
export const WithdrawConsentForm = form('WithdrawConsentForm', 'A button of the account page.', {
  app: text('The id of the app that may no longer act for the user.'),
  csrf_token,
});
export const ChangePasswordForm = form('ChangePasswordForm', 'The form of the account page for a new password.', {
  current_password: text('The password until now.'),
  ...newPassword,
  csrf_token,
});
export const ResetRequestForm = form('ResetRequestForm', 'The form with which users ask for a new password.', {
  username: text('The user name.'),
  csrf_token,
});
export const NewPasswordForm = form('NewPasswordForm', 'The form behind the link for a new password.', {
  token: text('The token of the link.'),
  ...newPassword,
  csrf_token,
});

/** A parameter that the handler reads itself: whatever it is, it is accepted here. */
export const readByHandler = (description: string) => z.string().optional().catch(undefined).describe(description);

const signOutFields = {
  id_token_hint: readByHandler('A token that the app received for the user, expired or not.'),
  client_id: readByHandler('The id of the app; needless with `id_token_hint`.'),
  post_logout_redirect_uri: readByHandler('Where the browser continues, at the origin of a redirect URI of the app.'),
  state: readByHandler('A value that comes back to `post_logout_redirect_uri`.'),
};
export const SignOutQuery = z.object(signOutFields);
export const SignOutForm = form('SignOutForm', 'The confirmation of a sign-out, or the request of an app for one.', {
  ...signOutFields,
  csrf_token: readByHandler('The hidden field of the page; without it, the user is asked to confirm.'),
});

export const AccountQuery = z.object({
  done: readByHandler('What has been done, which the page says: `session`, `sessions`, `consent` or `password`.'),
});
export const AccountSignInQuery = z.object({
  invite: readByHandler('The token of the link of an invite, to which the sign-in then leads.'),
});
export const ResetLinkQuery = z.object({ token: readByHandler('The token of the link.') });
