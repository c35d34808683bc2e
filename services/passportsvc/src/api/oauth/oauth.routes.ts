import { oauthErrors, ok, route, routes } from '@dtplatform/http';
import type { Handler, RouteTable } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { TokenReply } from '../../domain/oauth/token-reply.js';
import { issueToken } from './issue-token.handler.js';
import type { ApiVersion } from './issue-token.handler.js';
import { AuthorizeQuery, Jwks, Metadata, SignInParams, TokenForm } from './oauth.schemas.js';

const signInOrBack = { contentType: 'text/html', description: 'Leads to the sign-in page, or back to redirect_uri.' };
const SERVER_METADATA = '/.well-known/oauth-authorization-server';
const OPENID_METADATA = '/.well-known/openid-configuration';

/** The endpoints of the OAuth server (docs/contract.md, "OAuth endpoints"). */
export const oauthRoutes = (deps: Deps): RouteTable =>
  routes(
    '/oauth',
    [
      ...authorizeAndToken(deps, 1),
      route.get('/token', {
        operation: 'oauth.refresh',
        summary: 'Refresh tokens, with the parameters in the query.',
        auth: 'none',
        takesBasic: true,
        replies: { 200: TokenReply },
        handler: issueToken(deps, 1),
      }),
      route.get('/jwks', {
        operation: 'oauth.jwks',
        summary: 'The public keys of access tokens.',
        auth: 'none',
        replies: { 200: Jwks },
        handler: answerWithLibrary(deps, '/jwks'),
      }),
      route.get('/authorize/:uid', {
        operation: 'oauth.resume',
        summary: 'Where the sign-in page leads.',
        auth: 'none',
        params: SignInParams,
        replies: { 303: signInOrBack },
        handler: async ({ params, req, res }) => {
          await deps.oauthProvider.answer(`/authorize/${encodeURIComponent(params.uid)}`, req, res);
          return ok(undefined);
        },
      }),
      metadataRoute(deps, 'oauth.metadata', SERVER_METADATA, SERVER_METADATA),
      metadataRoute(deps, 'oauth.openidMetadata', OPENID_METADATA, OPENID_METADATA),
    ],
    { errorFormat: oauthErrors },
  );

/** The same with the status codes of RFC 6749. */
export const oauthRoutesV2 = (deps: Deps): RouteTable =>
  routes('/oauth', authorizeAndToken(deps, 2), { errorFormat: oauthErrors });

/** Where clients look for the metadata of an issuer whose URL has a path (RFC 8414, section 3.1). */
export const wellKnownRoutes = (deps: Deps): RouteTable =>
  routes('/oauth-authorization-server', [
    {
      ...metadataRoute(deps, 'oauth.metadataOfPath', '/passportsvc/api/v1/oauth', SERVER_METADATA),
      aliasOf: 'oauth.metadata',
    },
  ]);

const authorizeAndToken = (deps: Deps, version: ApiVersion) => [
  route.post('/token', {
    operation: version === 1 ? 'oauth.token' : 'oauth.tokenV2',
    summary: 'Exchange a code, a refresh token or an application’s credentials for tokens, or act for somebody.',
    auth: 'none',
    takesBasic: true,
    streamedBody: 'application/x-www-form-urlencoded',
    shownBody: TokenForm,
    replies: { 200: TokenReply },
    handler: issueToken(deps, version),
  }),
  route.get('/authorize', {
    operation: version === 1 ? 'oauth.authorize' : 'oauth.authorizeV2',
    summary: 'Sign a user in to an application.',
    auth: 'none',
    query: AuthorizeQuery,
    replies: { 303: signInOrBack },
    handler: async ({ req, res }) => {
      await deps.oauthProvider.authorize(req, res);
      return ok(undefined);
    },
  }),
];

const metadataRoute = (deps: Deps, operation: string, path: string, served: string) =>
  route.get(path, {
    operation,
    summary: 'What the OAuth server can do and where.',
    auth: 'none',
    replies: { 200: Metadata },
    handler: answerWithLibrary(deps, served),
  });

/** Serves a document of the OAuth library. @param path below the issuer */
const answerWithLibrary =
  ({ oauthProvider }: Deps, path: string): Handler =>
  async ({ req, res }) => {
    await oauthProvider.answer(path, req, res);
    return ok(undefined);
  };
