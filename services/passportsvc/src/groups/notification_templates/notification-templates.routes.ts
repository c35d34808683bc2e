import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { documents, ok, okPage, pageOf, pagingOf, pagingParameters, revision, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import {
  NotificationTemplate,
  ShownTemplate,
  showTemplate,
  TemplateChange,
  TemplateDraft,
  TemplateName,
  TemplatePreview,
} from './notification-template.js';
import type { NotificationTemplates } from './notification-templates.js';

const ListTemplatesQuery = z.object({
  _name: TemplateName,
  _appId: NotificationTemplate.shape._appId.optional().describe('The app; by default that of the token.'),
  ...pagingParameters(),
});
const TemplateParams = z.object({ id: NotificationTemplate.shape._id });
const TemplatePage = pageOf(ShownTemplate).meta({
  id: 'NotificationTemplatePage',
  description: 'A page of notification templates.',
});

export const notificationTemplateRoutes = ({
  notificationTemplates,
}: {
  notificationTemplates: NotificationTemplates;
}) =>
  routes('/notification_templates', [
    route.get('/', {
      operation: 'notificationTemplates.list',
      summary: 'List the notification templates of an app for one occasion.',
      description: 'New apps have both templates in English. See `notificationTemplates.get` for whose are visible.',
      errors: [commonErrors.notFound],
      needs: documents({ rule: 'own' }),
      query: ListTemplatesQuery,
      responses: { 200: TemplatePage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await notificationTemplates.list(query, paging, access), paging, showTemplate);
      },
    }),
    route.get('/:id', {
      operation: 'notificationTemplates.get',
      summary: 'Read a notification template.',
      description: "Callers can read the templates of the token's app and of apps that they own.",
      needs: documents({ rule: 'own' }),
      params: TemplateParams,
      etag: revision,
      show: showTemplate,
      responses: { 200: ShownTemplate },
      handler: async ({ params, access }) => ok(await notificationTemplates.get(params.id, access)),
    }),
    route.post('/preview', {
      operation: 'notificationTemplates.preview',
      summary: 'Show what a mail would look like, with values of an example.',
      errors: [errors.renderedTooLarge],
      needs: documents({ rule: 'anyone' }),
      reads: true,
      body: TemplateDraft,
      responses: { 200: TemplatePreview },
      handler: async ({ body }) => {
        const { subject, text, html } = notificationTemplates.preview(body);
        return ok({ _subject: subject, _text: text, _html: html });
      },
    }),
    route.put('/:id', {
      operation: 'notificationTemplates.update',
      summary: 'Change a notification template.',
      description: 'Only for the app itself, its owner, administrators and trusted clients.',
      errors: [errors.templateRenamed, errors.templateTaken, commonErrors.forbidden],
      needs: documents({ rule: 'own' }),
      params: TemplateParams,
      body: TemplateChange,
      etag: revision,
      show: showTemplate,
      responses: { 200: ShownTemplate },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await notificationTemplates.update(params.id, body, access, precondition)),
    }),
  ]);
