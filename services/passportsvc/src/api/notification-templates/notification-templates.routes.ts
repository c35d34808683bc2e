import { ok, okPage, ownOnly, pagingOf, revision, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import {
  ShownTemplate,
  showTemplate,
  TemplateChange,
} from '../../domain/notification-templates/notification-template.js';
import { ListTemplatesQuery, TemplatePage, TemplateParams } from './notification-templates.schemas.js';

/** Texts of mails (docs/contract.md, "Notification templates"). */
export const notificationTemplateRoutes = ({ notificationTemplates }: Deps) =>
  routes('/notification_templates', [
    route.get('/', {
      operation: 'notificationTemplates.list',
      summary: 'The notification templates of the application of the token, for one occasion.',
      needs: ownOnly,
      query: ListTemplatesQuery,
      replies: { 200: TemplatePage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await notificationTemplates.list(query._name, paging, access), paging, showTemplate);
      },
    }),
    route.get('/:id', {
      operation: 'notificationTemplates.get',
      summary: 'A notification template.',
      needs: ownOnly,
      params: TemplateParams,
      etag: revision,
      show: showTemplate,
      replies: { 200: ShownTemplate },
      handler: async ({ params, access }) => ok(await notificationTemplates.get(params.id, access)),
    }),
    route.put('/:id', {
      operation: 'notificationTemplates.update',
      summary: 'Change a notification template.',
      needs: ownOnly,
      params: TemplateParams,
      body: TemplateChange,
      etag: revision,
      show: showTemplate,
      replies: { 200: ShownTemplate },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await notificationTemplates.update(params.id, body, access, precondition)),
    }),
  ]);
