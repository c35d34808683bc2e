import { z } from 'zod';

/** Marks graphics files: graphicssvc caches them, and they are metered separately. */
export const GRAPHICS_TAG = '#invgraphicsfile#';

/** The fields of a file that other services read. */
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
