import { z } from 'zod';

/** Files with this tag are graphics files: cached by graphicssvc and counted apart. */
export const GRAPHICS_TAG = '#invgraphicsfile#';

/** What other services read of a file of filesvc. */
export const FileSummary = z.object({
  _id: z.string(),
  _name: z.string(),
  _type: z.enum(['file', 'dir']),
  _status: z.string().optional(),
  _namespaces: z.array(z.string()),
  _tags: z.array(z.string()).optional(),
  _tipId: z.string().optional(),
  _tipVersion: z.number().optional(),
  _fileVersion: z.object({ _id: z.string(), _fileSize: z.number(), _version: z.number() }).optional(),
});
export type FileSummary = z.infer<typeof FileSummary>;
export const FileSummaryPage = z.object({ _list: z.array(FileSummary), _total: z.number() });
