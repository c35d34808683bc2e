import { documents, noContent, okPage, pagingOf, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showConsent } from '../../domain/consents/consent.js';
import { ConsentPage, ConsentParams, ListConsentsQuery } from './consents.schemas.js';

/** Only users consent. */
const callers: ('user' | 'admin')[] = ['user', 'admin'];

/** The caller's consents to apps of other organizations (docs/contract.md, "Consents"). */
export const consentRoutes = ({ consents }: Deps) =>
  routes('/users/me/consents', [
    route.get('/', {
      operation: 'consents.list',
      summary: 'List the apps of other organizations that the calling user has allowed to act for it.',
      needs: documents({ rule: 'own' }),
      callers,
      query: ListConsentsQuery,
      replies: { 200: ConsentPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await consents.list(paging, access), paging, showConsent);
      },
    }),
    route.delete('/:appId', {
      operation: 'consents.revoke',
      summary: 'Revoke the consent to an app; its refresh and access tokens of the caller are refused at once.',
      needs: documents({ rule: 'own' }),
      callers,
      params: ConsentParams,
      replies: { 204: null },
      handler: async ({ params, access }) => {
        await consents.revoke(params.appId, access);
        return noContent();
      },
    }),
  ]);
