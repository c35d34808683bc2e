import type { IncomingMessage } from 'node:http';
import type { SignOutRequest } from '../../domain/oauth/sign-out-target.js';
import { onlyValue, queryParameters } from '../parameters.js';
import type { Parameters } from '../parameters.js';

/** The request of an app, whose parameters may be in the query or in the form. */
export function signOutRequest(req: IncomingMessage, form: Parameters): SignOutRequest {
  const query = queryParameters(req);
  const read = (name: string) => onlyValue(form, name) ?? onlyValue(query, name);
  return {
    idTokenHint: read('id_token_hint'),
    clientId: read('client_id'),
    postLogoutRedirectUri: read('post_logout_redirect_uri'),
    state: read('state'),
  };
}

/** The parameters of a request, for a form that sends it again. */
export function parametersOf(request: SignOutRequest): Record<string, string> {
  const all = {
    id_token_hint: request.idTokenHint,
    client_id: request.clientId,
    post_logout_redirect_uri: request.postLogoutRedirectUri,
    state: request.state,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
