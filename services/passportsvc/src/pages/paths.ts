const API = '/passportsvc/api/v1';

export const SIGN_OUT_PATH = `${API}/logout`;
export const PASSWORD_RESET_PATH = `${API}/password-reset`;
export const NEW_PASSWORD_PATH = `${PASSWORD_RESET_PATH}/new`;
export const ACCOUNT_PATH = `${API}/account`;
export const ACCOUNT_SIGN_IN_PATH = `${ACCOUNT_PATH}/sign-in`;
export const INVITES_PATH = `${API}/invites`;

/** Signs in, then returns to the invite. @param link the token of its link */
export const inviteSignInUrl = (link: string): string => `${ACCOUNT_SIGN_IN_PATH}?invite=${link}`;
