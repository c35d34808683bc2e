import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { NotificationTemplate, TemplateChange, TemplateName } from './notification-template.js';

export interface NotificationTemplateStore {
  find(id: string): Promise<NotificationTemplate | undefined>;
  /** All of an app: one for each occasion and language. */
  ofApp(appId: string): Promise<NotificationTemplate[]>;
  list(appId: string, name: TemplateName, paging: Paging): Promise<Listing<NotificationTemplate>>;
  /** Adds a template unless the app has one of the same name and language. */
  add(template: NotificationTemplate): Promise<void>;
  /** @throws templateTaken, 412; undefined when it is gone */
  update(
    id: string,
    change: TemplateChange & { '_metadata._updatedAt': number; '_metadata._updatedById': string },
    precondition: Precondition,
  ): Promise<NotificationTemplate | undefined>;
}
