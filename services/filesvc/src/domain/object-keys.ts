/** Where the content of a version is. `attempt` counts the times that its upload began anew. */
export const versionKey = (versionId: string, attempt = 0): string =>
  `versions/${versionId}${attempt > 0 ? `.${attempt}` : ''}`;

/** Where the bytes of an upload are that are too few for a part. Each writer has its own, so that none can spoil another's. */
export const tailKey = (uploadId: string, fence: number): string => `tails/${uploadId}/${fence}`;
