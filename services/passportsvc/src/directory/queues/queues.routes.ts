import { z } from 'zod';
import { ok, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import type { FailingMessage, QueueState } from '@dtplatform/queue';
import type { Queues } from './queues.store.js';

const MAX_PAGE = 100;

const ShownQueue = z
  .object({
    _id: z.string().max(128).describe('The name of the queue. It starts with the name of its service.'),
    _waiting: z.int().describe('Number of messages that wait for a worker.'),
    _active: z.int().describe('Number of messages that workers are processing.'),
    _delayed: z.int().describe('Number of messages that wait for their next attempt.'),
    _failing: z.int().describe('Of the first 1000 delayed messages, the number of those whose last attempt failed.'),
    _workerSeenAt: z
      .int()
      .describe(
        'When a worker of the queue last sent a heartbeat, as Unix milliseconds. Workers send one every 15 seconds.',
      ),
  })
  .meta({ id: 'Queue', description: 'A queue of messages for the workers of a service.' });

const ShownMessage = z
  .object({
    _id: z.string().max(128).describe('The id of the message, also as `jobId` in logs.'),
    _name: z.string().describe('The name of the message.'),
    _reason: z.string().describe('Why the last attempt failed.'),
    _attempts: z.int().describe('Number of attempts so far.'),
    _createdAt: z.int().describe('When the message was enqueued, as Unix milliseconds.'),
    _lastAttemptAt: z.int().describe('When the last attempt started, as Unix milliseconds.'),
    _nextAttemptAt: z.int().describe('When the next attempt is due, as Unix milliseconds.'),
    _payload: z
      .unknown()
      .optional()
      .describe('What workers get, without secrets. Left out if it is longer than 10 000 bytes.'),
  })
  .meta({ id: 'FailingMessage', description: 'A message whose last attempt failed: a dead letter.' });

const MessageIds = z.array(ShownMessage.shape._id.min(1)).describe('The ids of messages.');
const ChosenMessages = z
  .object({ _messageIds: MessageIds.min(1).max(MAX_PAGE) })
  .meta({ id: 'ChosenMessages', description: 'Failing messages of a queue.' });
const ChangedMessages = z.object({ _messageIds: MessageIds }).meta({
  id: 'ChangedMessages',
  description: 'The messages that were failing. Others have ended or are being processed.',
});

const QueueParams = z.object({ id: ShownQueue.shape._id });
const PagingQuery = z.object(pagingParameters({ maxSize: MAX_PAGE }));

const showQueue = ({ name, waiting, active, delayed, failing, workerSeenAt }: QueueState) => ({
  ...{ _id: name, _waiting: waiting, _active: active, _delayed: delayed, _failing: failing },
  _workerSeenAt: workerSeenAt,
});
const showMessage = (message: FailingMessage): z.infer<typeof ShownMessage> => ({
  ...{ _id: message.id, _name: message.name, _reason: message.reason, _attempts: message.attempts },
  ...{ _createdAt: message.createdAt, _lastAttemptAt: message.lastAttemptAt, _nextAttemptAt: message.nextAttemptAt },
  ...('payload' in message && { _payload: message.payload }),
});

const callers: ('admin' | 'trusted')[] = ['admin', 'trusted'];

export const queueRoutes = ({ queues }: { queues: Queues }) =>
  routes('/queues', [
    route.get('/', {
      operation: 'queues.list',
      summary: 'List the queues of all services by name. For administrators and trusted clients.',
      callers,
      query: PagingQuery,
      responses: {
        200: pageOf(ShownQueue).meta({ id: 'QueuePage', description: 'A page of queues.' }),
      },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await queues.list(paging), paging, showQueue);
      },
    }),
    route.get('/:id/failing', {
      operation: 'queues.listFailing',
      summary: 'List the failing messages of a queue, the next attempt first. For administrators and trusted clients.',
      description:
        'Workers retry failing messages until they succeed. The delay between attempts grows up to 10 minutes.',
      callers,
      params: QueueParams,
      query: PagingQuery,
      responses: {
        200: pageOf(ShownMessage).meta({ id: 'FailingMessagePage', description: 'A page of failing messages.' }),
      },
      handler: async ({ params, query }) => {
        const paging = pagingOf(query);
        return okPage(await queues.listFailing(params.id, paging), paging, showMessage);
      },
    }),
    route.post('/:id/retry', {
      operation: 'queues.retry',
      summary: 'Retry failing messages of a queue now. For administrators and trusted clients.',
      callers,
      params: QueueParams,
      body: ChosenMessages,
      responses: { 200: ChangedMessages },
      handler: async ({ params, body }) => ok({ _messageIds: await queues.retry(params.id, body._messageIds) }),
    }),
    route.post('/:id/discard', {
      operation: 'queues.discard',
      summary: 'Discard failing messages of a queue. For administrators and trusted clients.',
      description:
        'The work of these messages is not done, and what they have done so far is not undone. Their asynchronous tasks and loads end as `ERROR`, their mails as `FAILED`.',
      callers,
      params: QueueParams,
      body: ChosenMessages,
      responses: { 200: ChangedMessages },
      handler: async ({ params, body }) => ok({ _messageIds: await queues.discard(params.id, body._messageIds) }),
    }),
  ]);
