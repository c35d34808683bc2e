import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { Metadata, Namespace, Text } from '@dtplatform/contracts';
import { Organization } from '../organizations/organizations.js';

/** The characters of a URI (RFC 3986), except `#` and encoded control characters. */
const URI = /^(?:[\w!$&'()*+,./:;=?@[\]~-]|%(?!0|1|7f)[\da-f]{2})+$/i;
const USER_INFO = /^[^:]+:\/\/[^/?]*@/;
const HOST_AND_PORT = /^[^:/]+:\d+(?:[/?]|$)/;
/** Requires a dot: the scheme is a reversed domain name (RFC 8252, section 7.1). */
const PRIVATE_USE_SCHEME = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:./i;

export const REDIRECT_URI_RULE =
  'must be https URIs, http URIs of localhost or a loopback address, or URIs of a private-use scheme with a dot; ' +
  'without user information, fragments, spaces and control characters';

/**
 * Whether this is a valid redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7): https, loopback, or a
 * private-use scheme.
 */
export function isRedirectUri(text: string): boolean {
  if (!URI.test(text) || USER_INFO.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  if (/^https:\/\/[^/]/i.test(text)) return true;
  if (/^http:\/\/[^/]/i.test(text)) return isLoopback(hostname);
  return PRIVATE_USE_SCHEME.test(text) && !HOST_AND_PORT.test(text);
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));

export const AppConfigKey = z.enum(['usergroups.limit', 'workspaces.limit']);
export type AppConfigKey = z.infer<typeof AppConfigKey>;

export const AppConfigs = z.partialRecord(AppConfigKey, z.string().regex(/^\d{1,9}$/, 'must be a whole number')).meta({
  id: 'AppConfigs',
  description:
    'The configuration of an app: limits on what is created through it, as whole numbers in strings. A missing key means no limit.',
});
export type AppConfigs = z.infer<typeof AppConfigs>;

export const AvailableConfig = z
  .object({
    key: AppConfigKey.describe('The key in the configuration.'),
    displayText: z.string().describe('The display name of the key.'),
  })
  .meta({ id: 'AvailableConfig', description: 'A configuration key of apps.' });

const TEXTS: Record<AppConfigKey, string> = {
  'usergroups.limit': 'Maximum number of user groups',
  'workspaces.limit': 'Maximum number of workspaces',
};

export const AVAILABLE_CONFIGS: z.infer<typeof AvailableConfig>[] = AppConfigKey.options.map((key) => ({
  key,
  displayText: TEXTS[key],
}));

export const entriesOf = (list: string | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** URL parsers ignore some control characters. */
const CONTROL = /\p{Cc}/u;

const Name = Text.trim().min(1).max(128);

/** The origin in an entry of `_authorizedOrigins`, as browsers send it; undefined if invalid. */
function originIn(entry: string): string | undefined {
  if (!URL.canParse(entry) || entry.includes('*')) return undefined;
  const { protocol, origin, href } = new URL(entry);
  return ['http:', 'https:'].includes(protocol) && href === `${origin}/` ? origin : undefined;
}

export const authorizedOrigins = (list: string | undefined): string[] =>
  entriesOf(list).flatMap((entry) => originIn(entry) ?? []);

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'];
const isListOfGrantTypes = (list: string) => {
  const entries = entriesOf(list);
  return entries.length > 0 && entries.every((entry) => GRANT_TYPES.includes(entry));
};

const isWebUrl = (text: string) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

/** An application (docs/contract.md, "Applications"). Fields from `_secretHash` on are internal. */
export const App = z.object({
  _id: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{1,64}$/, 'must be 1 to 64 letters, digits or . _ ~ -')
    .describe('The id of the app, which is its `client_id` in OAuth.'),
  _name: Name.describe('The name of the app, shown on its sign-in page.'),
  _shortName: Name.describe('The short name of the app, unique on the platform.'),
  _userType: Text.max(128).optional().describe('The kind of the app, chosen by the caller; lists can filter by it.'),
  _orgId: Organization.shape._id.describe('The id of the organization that the app belongs to.'),
  _authorizedGrantTypes: z
    .string()
    .max(256)
    .refine(isListOfGrantTypes, `must contain one or more of ${GRANT_TYPES.join(', ')}, comma-separated`)
    .describe(`The grants that the app may use: ${GRANT_TYPES.join(', ')}, separated by commas.`),
  _redirectUris: z
    .string()
    .max(4096)
    .refine((list) => !CONTROL.test(list) && entriesOf(list).every(isRedirectUri), REDIRECT_URI_RULE)
    .describe(
      'The redirect URIs of the app, separated by commas: https URIs, http URIs of localhost or of a loopback address, and ' +
        'URIs of private-use schemes that contain a dot, such as `com.example.app:/callback`; without a fragment.',
    ),
  _authorizedOrigins: z
    .string()
    .max(4096)
    .refine(
      (list) => !CONTROL.test(list) && entriesOf(list).every((entry) => originIn(entry) !== undefined),
      'must contain origins such as https://app.example.com, comma-separated',
    )
    .describe(
      'The origins of pages that may call the platform from a browser, such as `https://app.example.com`, separated by commas; empty for none.',
    )
    .optional(),
  _namespaces: z.array(Namespace).describe('The namespaces of the app, in which it may do everything.'),
  _whitelistedApps: z
    .array(z.string().max(64))
    .max(100)
    .describe('The ids of apps on the allowlist of the app. The platform only stores them.'),
  _loginTheme: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be letters, digits, _ or -')
    .optional()
    .describe('The name of the theme of the sign-in page; empty for the theme of the platform.'),
  _home: z
    .string()
    .max(2048)
    .refine((text) => text === '' || isWebUrl(text), 'must be a URL that starts with http:// or https://')
    .optional()
    .describe('The URL of the home page of the app; empty for none.'),
  _metadata: Metadata.pick({ _createdAt: true, _updatedAt: true, _updatedById: true }).describe(
    'When the app was registered and last changed, and by whom.',
  ),
  _configs: AppConfigs,
  _previousSecretExpiresAt: z
    .int()
    .optional()
    .describe('Until when the secret before the last replacement stays valid, as Unix milliseconds.'),
  _secretHash: z.string(),
  _previousSecretHash: z.string().optional(),
  _ownerId: z.string().optional(),
  _trusted: z
    .boolean()
    .describe(
      'Whether the app acts for the platform itself and needs no permissions. Only administrators can set it; `false` ends the tokens of the app.',
    ),
  _accessTokenTtlSec: z.number().optional(),
  /** Incremented by creations under a limit, so that concurrent transactions conflict. */
  _workspaceWrites: z.number().optional(),
  _revision: z.number().int().min(0),
});
export type App = z.infer<typeof App>;

export const ShownApp = App.omit({
  _secretHash: true,
  _previousSecretHash: true,
  _ownerId: true,
  _trusted: true,
  _accessTokenTtlSec: true,
  _workspaceWrites: true,
  _revision: true,
})
  .partial({ _configs: true })
  .meta({ id: 'App', description: 'An app: a client of OAuth. Its configuration is included on request.' });
export const showApp = <A extends Partial<App>>(app: A) => {
  const {
    _secretHash,
    _previousSecretHash,
    _ownerId,
    _trusted,
    _accessTokenTtlSec,
    _workspaceWrites,
    _revision,
    ...shown
  } = app;
  return shown;
};

/** Fields that callers may change; absent fields stay. */
export const AppChange = App.pick({ _name: true, _redirectUris: true }).extend({
  _authorizedOrigins: App.shape._authorizedOrigins.unwrap(),
  ...App.pick({
    _userType: true,
    _whitelistedApps: true,
    _loginTheme: true,
    _home: true,
    _authorizedGrantTypes: true,
    _trusted: true,
  }).partial().shape,
});
export type AppChange = z.infer<typeof AppChange>;

/** The default; `implicit` must be requested explicitly. */
export const DEFAULT_GRANT_TYPES = 'authorization_code,refresh_token,client_credentials';

/** Origins that may request tokens: authorized origins and those of the redirect URIs. */
export function originsOf({ _authorizedOrigins, _redirectUris }: App): string[] {
  const redirects = entriesOf(_redirectUris).map((uri) => new URL(uri).origin);
  // Custom URI schemes of mobile apps have no origin.
  return [...authorizedOrigins(_authorizedOrigins), ...redirects].filter((origin) => origin !== 'null');
}

/** The id of the app of the web console. */
export const CONSOLE_APP = 'console';

export const appIrn = (id: string): string => `passportsvc:app:${id}`;
