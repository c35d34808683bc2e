import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import {
  NotificationTemplate,
  ShownTemplate,
  TemplateName,
} from '../../domain/notification-templates/notification-template.js';

export const ListTemplatesQuery = z.object({ _name: TemplateName, ...pagingParameters() });
export const TemplateParams = z.object({ id: NotificationTemplate.shape._id });
export const TemplatePage = pageOf(ShownTemplate).meta({
  id: 'NotificationTemplatePage',
  description: 'A page of notification templates.',
});
