import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { isDuplicateKey, listPage, modelOf, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { insertNew } from '../../queries/queries.store.js';
import { NotificationTemplate } from './notification-template.js';
import type { TemplateChange, TemplateName } from './notification-template.js';

export const notificationTemplateModel = modelOf('notification_templates', NotificationTemplate, {
  indexes: [{ key: { _appId: 1, _name: 1, _locale: 1 }, name: 'app_name_locale', unique: true }],
});

/** One per occasion and language; no call creates more. */
const MOST_OF_APP = 100;

export function createNotificationTemplateStore(mongo: Mongo) {
  const templates = mongo.model(notificationTemplateModel);

  return {
    find: async (id: string): Promise<NotificationTemplate | undefined> =>
      (await templates.findById(id).lean()) ?? undefined,
    ofApp: (appId: string): Promise<NotificationTemplate[]> =>
      templates.find({ _appId: appId }).sort({ _name: 1, _locale: 1 }).limit(MOST_OF_APP).lean(),
    list: (appId: string, name: TemplateName, paging: Paging): Promise<Listing<NotificationTemplate>> =>
      listPage(templates, { _appId: appId, _name: name }, { paging, sort: { _locale: 1, _id: 1 } }),
    /** Adds a template unless the app has one with this name and language. */
    async add(template: NotificationTemplate): Promise<void> {
      await mongo.apart(() => insertNew(mongo, templates, template));
    },
    /** @returns undefined when it is gone. @throws templateTaken, 412 */
    async update(
      id: string,
      change: TemplateChange & { '_metadata._updatedAt': number; '_metadata._updatedById': string },
      precondition: Precondition,
    ): Promise<NotificationTemplate | undefined> {
      try {
        return await updateIfMatch(templates, id, { $set: change }, { precondition });
      } catch (error) {
        throw isDuplicateKey(error) ? errors.templateTaken({ cause: error }) : error;
      }
    },
  };
}

export type NotificationTemplateStore = ReturnType<typeof createNotificationTemplateStore>;
