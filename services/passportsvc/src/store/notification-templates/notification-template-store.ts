import { isDuplicateKey, listPage, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { NotificationTemplateStore } from '../../domain/notification-templates/ports.js';
import { errors } from '../../errors.js';
import { insertNew } from '../insert-new.js';
import { notificationTemplateModel } from './notification-template.model.js';

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
