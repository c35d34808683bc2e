import { isDuplicateKey, listPage, modelOf, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { insertNew } from '../../queries/queries.store.js';
import { NotificationTemplate } from './notification-template.js';
import type { NotificationTemplateStore } from './notification-templates.js';

export const notificationTemplateModel = modelOf('notification_templates', NotificationTemplate, {
  indexes: [{ key: { _appId: 1, _name: 1, _locale: 1 }, name: 'app_name_locale', unique: true }],
});

/** An app has one template for each occasion and language; no call creates more. */
const MOST_OF_APP = 100;

export function createNotificationTemplateStore(mongo: Mongo): NotificationTemplateStore {
  const templates = mongo.model(notificationTemplateModel);

  return {
    find: async (id) => (await templates.findById(id).lean()) ?? undefined,
    ofApp: (appId) => templates.find({ _appId: appId }).sort({ _name: 1, _locale: 1 }).limit(MOST_OF_APP).lean(),
    list: (appId, name, paging) =>
      listPage(templates, { _appId: appId, _name: name }, { paging, sort: { _locale: 1, _id: 1 } }),
    async add(template) {
      await mongo.apart(() => insertNew(mongo, templates, template));
    },
    async update(id, change, precondition) {
      try {
        return await updateIfMatch(templates, id, { $set: change }, { precondition });
      } catch (error) {
        throw isDuplicateKey(error) ? errors.templateTaken({ cause: error }) : error;
      }
    },
  };
}
