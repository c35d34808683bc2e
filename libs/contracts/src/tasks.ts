import { z } from 'zod';

/** Status of accepted long work. */
export const TaskStatus = z.enum(['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR']);

/** A task as callers see it (docs/contract.md, "Async task"). */
export const AsyncTask = z.object({
  _id: z.string(),
  _reqBodySize: z.number(),
  _batchCompleted: z.number(),
  /** In percent. */
  _progress: z.number().optional(),
  /** The same in words. */
  _statusmsg: z.string().optional(),
  _status: TaskStatus,
  _timeTakenInSecs: z.number(),
  _response: z
    .object({
      externalStorage: z.boolean(),
      _body: z.string(),
      _statusMsg: z.string(),
      _status: z.number(),
      _headers: z.record(z.string(), z.string()),
    })
    .optional(),
  _namespaces: z.array(z.string()),
});
export type AsyncTask = z.infer<typeof AsyncTask>;
