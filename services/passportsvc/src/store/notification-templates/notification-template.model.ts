import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { NotificationTemplate } from '../../domain/notification-templates/notification-template.js';

export const notificationTemplateModel = defineModel<NotificationTemplate>('notification_templates', {
  _id: id,
  _name: text,
  _title: text,
  _locale: text,
  _message: text,
  _format: text,
  _appId: text,
  _metadata: part<NotificationTemplate['_metadata']>({ _createdAt: number, _updatedAt: number, _updatedById: text }),
  _revision: number,
});

notificationTemplateModel.schema.index({ _appId: 1, _name: 1, _locale: 1 }, { name: 'app_name_locale', unique: true });
