import type { Listing, Paging } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import type { NotificationTemplates } from '../notification_templates/notification-templates.js';
import type { Mail } from './mail.js';
import type { MailQueue, MailStore } from './mails.store.js';

const TEST = {
  subject: 'Test mail',
  text: 'An administrator of the platform sent this mail to check that mails arrive. You do not need to do anything.',
};

interface Deps {
  notificationTemplates: Pick<NotificationTemplates, 'get' | 'preview'>;
  mailQueue: MailQueue;
  mailStore: MailStore;
}

/** Shows administrators the status of mails, without their bodies, and sends test mails. */
export const createMails = ({ mailQueue, mailStore, notificationTemplates }: Deps) => ({
  /** Newest first. */
  list: (status: Mail['status'] | undefined, paging: Paging): Promise<Listing<Mail>> => mailStore.list(status, paging),
  /** Queues a test mail: a notification template with values of an example, or a short text. @throws notFound */
  async sendTest(to: string, templateId: string | undefined, access: Access): Promise<Mail> {
    const template = templateId === undefined ? undefined : await notificationTemplates.get(templateId, access);
    return mailQueue.sendAlone({ ...(template ? notificationTemplates.preview(template) : TEST), to });
  },
});

export type Mails = ReturnType<typeof createMails>;
