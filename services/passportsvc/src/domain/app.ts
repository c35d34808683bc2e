/** An application (contract: Application), with what only the platform knows of it. */
export interface App {
  _id: string;
  _name: string;
  _shortName: string;
  _userType?: string;
  _orgId: string;
  /** Comma-separated, as are the two below. */
  _authorizedGrantTypes: string;
  _redirectUris: string;
  _authorizedOrigins?: string;
  _namespaces: string[];
  _whitelistedApps: string[];
  _loginTheme?: string;
  _home?: string;
  _metadata: { _createdAt: number; _updatedAt: number; _updatedById: string };
  _configs: Record<string, string>;
  /** Keyed hash of the secret. */
  _secretHash: string;
  _ownerId?: string;
  /** Calls as the platform itself: holds everything. */
  _trusted: boolean;
  /** Lifetime of its access tokens, where it is not the common one. */
  _accessTokenTtlSec?: number;
  /** Its permissions in its own namespaces are still to be written. */
  _grantsPending?: boolean;
}

/** An application as its callers see it. */
export type ShownApp = Omit<
  App,
  '_configs' | '_secretHash' | '_ownerId' | '_trusted' | '_accessTokenTtlSec' | '_grantsPending'
> & { _configs?: Record<string, string>; _secret?: string };

/** Grants that an app may use; `implicit` is only for apps that name it. */
export const DEFAULT_GRANT_TYPES = 'authorization_code,refresh_token,client_credentials';

/** Keys of an app's configuration, with what they mean (contract: Application config). */
export const CONFIG_KEYS = {
  'usergroups.limit': 'Most user groups that the application may have',
  'workspaces.limit': 'Most workspaces that the application may have',
} as const;

/** The entries of a comma-separated list. */
export const entriesOf = (list: string | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const FORBIDDEN_SCHEMES = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'];

/** Whether a browser may be led there: an absolute URI without a fragment (RFC 6749, section 3.1.2). */
export function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  return !FORBIDDEN_SCHEMES.includes(new URL(text).protocol);
}

/** The pages of an app, by origin: those that it names, and those that sign-ins lead back to. They may ask for tokens. */
export function originsOf({ _authorizedOrigins, _redirectUris }: App): string[] {
  const redirects = entriesOf(_redirectUris).map((uri) => new URL(uri).origin);
  // Apps on phones have schemes without an origin.
  return [...entriesOf(_authorizedOrigins), ...redirects].filter((origin) => origin !== 'null');
}

/** What ids of apps look like. */
export const APP_ID = /^[A-Za-z0-9._~-]{1,64}$/;

export const appIrn = (id: string): string => `passportsvc:app:${id}`;

export function shownApp(app: App, more: { withConfigs?: boolean; secret?: string } = {}): ShownApp {
  const { _configs, _secretHash, _ownerId, _trusted, _accessTokenTtlSec, _grantsPending, ...shown } = app;
  return {
    ...shown,
    ...(more.withConfigs ? { _configs } : {}),
    ...(more.secret === undefined ? {} : { _secret: more.secret }),
  };
}
