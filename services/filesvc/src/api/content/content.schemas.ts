import { z } from 'zod';

/** Content as a reply. */
export const BYTES = { contentType: 'application/octet-stream', description: 'The bytes as they were uploaded.' };

/** A signed URL, and the name that the download gets. */
export const DownloadUrl = z.object({ _url: z.string(), _name: z.string() });
