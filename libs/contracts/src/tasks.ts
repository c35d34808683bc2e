import { z } from 'zod';

/** Status of accepted long-running work. */
export const TaskStatus = z.enum(['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR']).describe('The status of the task.');

/** The response of a task that produces one (docs/contract.md, "Async task"). */
const TaskResponse = z.object({
  externalStorage: z.boolean().describe('Whether the body is larger than 1 MB and must be fetched from a URL.'),
  _body: z.string().describe('The body as JSON text; with `externalStorage`, the signed URL to fetch it from.'),
  _statusMsg: z.string().describe('The status as text.'),
  _status: z.number().describe('The HTTP status.'),
  _headers: z.record(z.string(), z.string()).describe('The headers.'),
});

/** A task as callers see it (docs/contract.md, "Async task"). */
export const AsyncTask = z
  .object({
    _id: z.string().describe('The id of the task.'),
    _reqBodySize: z.number().describe('The length of the request body in bytes.'),
    _batchCompleted: z.number().describe('The number of entries processed.'),
    _progress: z.number().optional().describe('The progress of the work, in percent.'),
    _statusmsg: z.string().optional().describe('The progress of the work, as text.'),
    _status: TaskStatus,
    _timeTakenInSecs: z.number().describe('The duration so far, in seconds.'),
    _response: TaskResponse.optional().describe(
      'The response that the call would have returned; absent until the task ends.',
    ),
    _namespaces: z.array(z.string()).describe('The namespaces in which the task works.'),
  })
  .meta({ id: 'AsyncTask', description: 'Accepted work that continues after the response.' });
export type AsyncTask = z.infer<typeof AsyncTask>;
