const API = '/passportsvc/api/v1';

/** Where the pages are that other pages link to. */
export const SIGN_OUT_PATH = `${API}/logout`;
export const PASSWORD_RESET_PATH = `${API}/password-reset`;
export const NEW_PASSWORD_PATH = `${PASSWORD_RESET_PATH}/new`;
export const ACCOUNT_PATH = `${API}/account`;
export const ACCOUNT_SIGN_IN_PATH = `${ACCOUNT_PATH}/sign-in`;
export const INVITES_PATH = `${API}/invites`;
