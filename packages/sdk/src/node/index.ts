export { DiskError, downloadToFile } from './download-to-file.js';
export type { ToFileOptions } from './download-to-file.js';
export { uploadFromFile } from './upload-from-file.js';
export type { FromFileOptions } from './upload-from-file.js';
