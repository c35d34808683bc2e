import { z } from 'zod';

/** Status of accepted long-running work. */
export const TaskStatus = z.enum(['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR']).describe('The status of the task.');

/** The response of a task that produces one (docs/contract.md, "Async task"). */
const TaskResponse = z.object({
  externalStorage: z.boolean().describe('Whether the body, which has more than 1 MB, is to be fetched at a URL.'),
  _body: z
    .string()
    .describe('The body, as JSON text; with `externalStorage`, the signed URL at which it can be fetched.'),
  _statusMsg: z.string().describe('The status in words.'),
  _status: z.number().describe('The HTTP status.'),
  _headers: z.record(z.string(), z.string()).describe('The headers.'),
});

/** A task as callers see it (docs/contract.md, "Async task"). */
export const AsyncTask = z
  .object({
    _id: z.string().describe('The id of the task.'),
    _reqBodySize: z.number().describe('The length of the body that was accepted, in bytes.'),
    _batchCompleted: z.number().describe('How many entries have been processed.'),
    _progress: z.number().optional().describe('The progress of the work, in percent.'),
    _statusmsg: z.string().optional().describe('The progress of the work, in words.'),
    _status: TaskStatus,
    _timeTakenInSecs: z.number().describe('How long the work has taken, in seconds.'),
    _response: TaskResponse.optional().describe(
      'The reply that the call would have returned; absent until the task ends.',
    ),
    _namespaces: z.array(z.string()).describe('The namespaces in which the task works.'),
  })
  .meta({ id: 'AsyncTask', description: 'Accepted work whose state can be read.' });
export type AsyncTask = z.infer<typeof AsyncTask>;
