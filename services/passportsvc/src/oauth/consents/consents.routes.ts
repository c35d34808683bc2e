import { z } from 'zod';
import { documents, noContent, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import { Consent, showConsent, ShownConsent } from './consent.js';
import type { Consents } from './consents.js';

const ListConsentsQuery = z.object(pagingParameters());
const ConsentPage = pageOf(ShownConsent).meta({ id: 'ConsentPage', description: 'A page of consents.' });
const ConsentParams = z.object({ appId: Consent.shape._appId });

const callers: ('user' | 'admin')[] = ['user', 'admin'];

export const consentRoutes = ({ consents }: { consents: Consents }) =>
  routes('/users/me/consents', [
    route.get('/', {
      operation: 'consents.list',
      summary: 'List the apps of other organizations that the calling user has allowed to act for them.',
      needs: documents({ rule: 'own' }),
      callers,
      query: ListConsentsQuery,
      responses: { 200: ConsentPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await consents.list(paging, access), paging, showConsent);
      },
    }),
    route.delete('/:appId', {
      operation: 'consents.revoke',
      summary: 'Revoke the consent to an app. Its tokens for the calling user are rejected immediately.',
      needs: documents({ rule: 'own' }),
      callers,
      params: ConsentParams,
      responses: { 204: null },
      handler: async ({ params, access }) => {
        await consents.revoke(params.appId, access);
        return noContent();
      },
    }),
  ]);
