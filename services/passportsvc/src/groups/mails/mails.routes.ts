import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { created, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { Mail, MailAddress } from './mail.js';
import { NotificationTemplate } from '../notification_templates/notification-template.js';
import type { Mails } from './mails.js';

const ShownMail = z
  .object({
    _id: z.string().max(64).describe('The id of the mail, also in its `Message-ID`.'),
    _to: z.string().max(320).describe('The address of the recipient.'),
    _subject: z.string().describe('The subject.'),
    _status: Mail.shape.status.describe(
      '`QUEUED`: not sent yet, and retried for 72 hours; `SENT`: accepted by the mail server; `FAILED`: given up.',
    ),
    _createdAt: z.int().describe('When it was queued, as Unix milliseconds.'),
    _endedAt: z.int().optional().describe('When it was sent or given up, as Unix milliseconds.'),
    _reason: z.string().optional().describe('Why it was given up or, while queued, why the last attempt failed.'),
  })
  .meta({ id: 'Mail', description: 'A mail of the platform, without its body.' });

const MailPage = pageOf(ShownMail).meta({ id: 'MailPage', description: 'A page of mails.' });
const TestMail = z
  .object({
    _to: MailAddress.describe('The address to send the mail to.'),
    _templateId: NotificationTemplate.shape._id
      .optional()
      .describe('The notification template to send, with values of an example. By default, a short text is sent.'),
  })
  .meta({ id: 'TestMail', description: 'The recipient and the content of a test mail.' });
const ListMailsQuery = z.object({
  ...pagingParameters(),
  _status: Mail.shape.status.optional().describe('Only mails with this status.'),
});

const shown = ({ _id, to, subject, status, createdAt, endedAt, reason }: Mail): z.infer<typeof ShownMail> => ({
  ...{ _id, _to: to, _subject: subject, _status: status, _createdAt: createdAt },
  ...(endedAt !== undefined && { _endedAt: endedAt }),
  ...(reason !== undefined && status !== 'SENT' && { _reason: reason }),
});

const callers: ('admin' | 'trusted')[] = ['admin', 'trusted'];

export const mailRoutes = ({ mails }: { mails: Mails }) =>
  routes('/mails', [
    route.get('/', {
      operation: 'mails.list',
      summary: 'List mails and why they did not arrive, newest first. For administrators and trusted clients.',
      description: 'Sent mails are listed for a day, failed ones for 30 days.',
      callers,
      query: ListMailsQuery,
      responses: { 200: MailPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        const { list, ...rest } = await mails.list(query._status, paging);
        return okPage({ ...rest, list: list.map(shown) }, paging);
      },
    }),
    route.post('/', {
      operation: 'mails.sendTest',
      summary: 'Send a test mail to an address. For administrators and trusted clients.',
      description: 'The mail is queued; `mails.list` shows its status.',
      callers,
      body: TestMail,
      responses: { 201: ShownMail },
      errors: [errors.renderedTooLarge, commonErrors.notFound],
      handler: async ({ body, access }) => created(shown(await mails.sendTest(body._to, body._templateId, access))),
    }),
  ]);
