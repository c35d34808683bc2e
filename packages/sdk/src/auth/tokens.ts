import { refusePage } from '../error-reply.js';
import { ApiError, SignedOutError, TimeoutError } from '../errors.js';
import { isTemporary, withRetries } from '../retry.js';
import { send } from '../transport.js';

/** The tokens of a session. */
export interface Tokens {
  accessToken: string;
  refreshToken?: string;
  /** When to renew the access token, shortly before it expires; milliseconds since 1970 by this machine's clock. */
  renewAt: number;
}

/** The app on whose behalf tokens are requested. */
export interface AppCredentials {
  baseUrl: string;
  /** The id of the app. */
  clientId: string;
  /** Its secret; browser and native apps have none. */
  clientSecret?: string;
  fetch?: typeof globalThis.fetch;
}

interface TokenReply {
  access_token: string;
  refresh_token?: string;
  expires_in: number;
}

const TOKEN_PATH = '/passportsvc/api/v2/oauth/token';
interface Limits {
  timeoutMs: number;
  retries: number;
}

/** Generous, because repeating a refresh while the first request is still running would end the session. */
const LIMITS: Limits = { timeoutMs: 60_000, retries: 4 };
/** Nobody waits long to sign out. */
const SIGN_OUT_LIMITS: Limits = { timeoutMs: 5000, retries: 1 };
/** Tokens are renewed this long before they expire, or a quarter of their lifetime if that is less. */
const MARGIN_MS = 30_000;

/**
 * Requests tokens. @throws SignedOutError when the code or refresh token is invalid
 * @throws ApiError whose code is the error of RFC 6749 in capitals
 */
export async function requestTokens(
  app: AppCredentials,
  grant: Record<string, string>,
  limits = LIMITS,
): Promise<Tokens> {
  const { clientId, clientSecret } = app;
  const form = clientSecret === undefined ? { ...grant, client_id: clientId } : grant;
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...basic(clientId, clientSecret) };
  const request = {
    method: 'POST',
    url: app.baseUrl + TOKEN_PATH,
    headers,
    body: new URLSearchParams(form).toString(),
  };
  const sentAt = Date.now();
  try {
    const reply = await sendGrant(request, app, limits);
    const lifetimeMs = reply.expires_in * 1000;
    const renewAt = sentAt + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 4);
    return { accessToken: reply.access_token, refreshToken: reply.refresh_token, renewAt };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_GRANT')
      throw new SignedOutError('The session has expired or was revoked. Sign in again.', { cause: error });
    throw error;
  }
}

/**
 * Revokes a refresh token and all access tokens of its session. The platform does so when a refresh token is used twice
 * (RFC 9700, section 4.14.2); it has no revocation endpoint.
 */
export async function revokeTokens(app: AppCredentials, refreshToken: string): Promise<void> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const use = () => requestTokens(app, grant, SIGN_OUT_LIMITS);
  await use();
  await use().catch((error: unknown) => {
    if (!(error instanceof SignedOutError)) throw error;
  });
}

/**
 * Retries after a lost connection: if the platform had received the request, the tokens in its response are lost
 * anyway. Does not retry after a timeout, because the first request may still succeed.
 */
function sendGrant(
  request: Parameters<typeof send>[0],
  { fetch }: AppCredentials,
  { timeoutMs, retries }: Limits,
): Promise<TokenReply> {
  const mayRepeat = (error: unknown) => isTemporary(error) && !(error instanceof TimeoutError);
  const once = () =>
    send(request, { fetch, timeoutMs, retries: 0 }, (reply) => {
      refusePage(reply);
      return reply.json() as Promise<TokenReply>;
    });
  return withRetries(once, { retries, mayRepeat });
}

function basic(clientId: string, clientSecret?: string): Record<string, string> {
  if (clientSecret === undefined) return {};
  // RFC 6749, section 2.3.1: both are form-encoded first.
  const pair = [clientId, clientSecret].map((text) => encodeURIComponent(text)).join(':');
  return { Authorization: `Basic ${btoa(pair)}` };
}

export const isFresh = ({ renewAt }: Tokens): boolean => Date.now() < renewAt;
