import { commonErrors } from '@dtplatform/errors';
import type { DeclaredError } from '@dtplatform/errors';
import { oauthErrors, ok, route, routes } from '@dtplatform/http';
import type { Handler, RouteTable } from '@dtplatform/http';
import { errors } from '../errors.js';
import { FORM, pageErrors, redirectTo } from '../pages/page.http.js';
import type { OAuthProvider } from './authorize/oauth-provider.http.js';
import {
  AuthorizeQuery,
  Jwks,
  Metadata,
  RefreshQuery,
  SignInParams,
  TokenForm,
  TokenQuery,
} from './oauth-parameters.http.js';
import { TokenResponse } from './token/grant.js';
import { issueToken } from './token/token.handler.js';
import type { ApiVersion } from './token/token.handler.js';
import type { Tokens } from './token/tokens.js';

interface Parts {
  oauthProvider: OAuthProvider;
  tokens: Tokens;
}

/** Rejections of the token endpoint (RFC 6749, section 5.2). Version 1 uses other statuses. */
function tokenErrors(version: ApiVersion): DeclaredError[] {
  return [
    errors.invalidRequest,
    errors.invalidClient,
    errors.invalidGrant,
    errors.unauthorizedClient,
    errors.unsupportedGrantType,
    errors.invalidScope,
  ].map(({ definition }) => ({ definition: version === 1 ? { ...definition, status: 403 } : definition }));
}

/** A GET may also have parameters in its body. */
const refreshErrors = [
  ...tokenErrors(1),
  commonErrors.methodNotAllowed,
  commonErrors.requestTimeout,
  commonErrors.payloadTooLarge,
  commonErrors.unsupportedMediaType,
];

/** The library's redirects have a body, for browsers that do not follow them. */
const authorized = {
  200: { contentType: 'text/html', description: 'A page that sends the code to the app (`response_mode=form_post`).' },
  303: { contentType: 'text/html', description: 'The browser continues at `Location`.' },
  400: { contentType: 'text/html', description: 'A page that says what is wrong.' },
};
const authorizeHeaders = {
  303: [redirectTo('The sign-in page, the consent page, or `redirect_uri` with the code or an error.')],
};
const SERVER_METADATA = '/.well-known/oauth-authorization-server';
const OPENID_METADATA = '/.well-known/openid-configuration';

export const oauthRoutes = (parts: Parts): RouteTable =>
  routes(
    '/oauth',
    [
      ...authorizeAndToken(parts, 1),
      route.get('/token', {
        operation: 'oauth.refresh',
        summary: 'Refresh tokens, with the parameters in the query.',
        description: 'Other grants require POST.',
        errors: refreshErrors,
        auth: 'none',
        takesBasic: true,
        query: RefreshQuery,
        responses: { 200: TokenResponse },
        handler: issueToken(parts, 1),
      }),
      route.get('/jwks', {
        operation: 'oauth.jwks',
        summary: 'Read the public keys of access tokens.',
        auth: 'none',
        responses: {
          200: { contentType: 'application/jwk-set+json', description: 'The public keys (RFC 7517).', schema: Jwks },
        },
        handler: respondWithLibrary(parts, '/jwks'),
      }),
      route.get('/authorize/:uid', {
        operation: 'oauth.resume',
        summary: 'Continue after the sign-in or consent page, which redirects here.',
        auth: 'none',
        params: SignInParams,
        headers: authorizeHeaders,
        responses: authorized,
        handler: async ({ params, req, res }) => {
          await parts.oauthProvider.respond(`/authorize/${encodeURIComponent(params.uid)}`, req, res);
          return ok(undefined);
        },
      }),
      metadataRoute(parts, 'oauth.metadata', SERVER_METADATA, SERVER_METADATA),
      metadataRoute(parts, 'oauth.openidMetadata', OPENID_METADATA, OPENID_METADATA),
    ],
    { errorFormat: oauthErrors },
  );

/** Version 2: the status codes of RFC 6749. */
export const oauthRoutesV2 = (parts: Parts): RouteTable =>
  routes('/oauth', authorizeAndToken(parts, 2), { errorFormat: oauthErrors });

/** The metadata of an issuer whose URL has a path (RFC 8414, section 3.1). */
export const wellKnownRoutes = (parts: Parts): RouteTable =>
  routes('/oauth-authorization-server', [
    {
      ...metadataRoute(parts, 'oauth.metadataOfPath', '/passportsvc/api/v1/oauth', SERVER_METADATA),
      aliasOf: 'oauth.metadata',
    },
  ]);

const authorizeAndToken = (parts: Parts, version: ApiVersion) => [
  route.post('/token', {
    operation: version === 1 ? 'oauth.token' : 'oauth.tokenV2',
    summary:
      'Exchange a code, a refresh token or the credentials of an app for tokens, or request a token to act for someone.',
    description:
      version === 1
        ? 'Parameters can also be sent in the query or as multipart. Where RFC 6749 specifies a 400 or 401, this path responds with a 403.'
        : 'Parameters can also be sent in the query or as multipart. The status codes are those of RFC 6749.',
    errors: tokenErrors(version),
    auth: 'none',
    takesBasic: true,
    query: TokenQuery,
    streamedBody: FORM,
    shownBody: TokenForm,
    responses: { 200: TokenResponse },
    handler: issueToken(parts, version),
  }),
  route.get('/authorize', {
    operation: version === 1 ? 'oauth.authorize' : 'oauth.authorizeV2',
    summary: 'Sign a user in to an app, in a browser.',
    description:
      'The browser is redirected to the sign-in or consent page if necessary, then back to the app with `code` or `error`, `state` and `iss`. ' +
      'An invalid `client_id` or `redirect_uri` returns a 400 with a page.',
    ...(version === 1 ? {} : { aliasOf: 'oauth.authorize' }),
    auth: 'none',
    query: AuthorizeQuery,
    headers: authorizeHeaders,
    errorFormat: pageErrors,
    responses: authorized,
    handler: async ({ req, res }) => {
      await parts.oauthProvider.authorize(req, res);
      return ok(undefined);
    },
  }),
];

const metadataRoute = (parts: Parts, operation: string, path: string, served: string) =>
  route.get(path, {
    operation,
    summary: 'Read the metadata of the OAuth server.',
    auth: 'none',
    responses: { 200: Metadata },
    handler: respondWithLibrary(parts, served),
  });

/** Serves a document of the OAuth library. @param path below the issuer */
const respondWithLibrary =
  ({ oauthProvider }: Parts, path: string): Handler =>
  async ({ req, res }) => {
    await oauthProvider.respond(path, req, res);
    return ok(undefined);
  };
