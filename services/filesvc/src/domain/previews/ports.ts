import type { FileVersion, Preview } from '../files/file.js';
import type { SourceType } from './source-type.js';

/** One preview of an image. */
export interface Rendered {
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  data: Uint8Array;
}

/** The content is not what it seems to be, or needs more than the renderer may use. Trying again would not help. */
export class CannotRender extends Error {}

export interface Renderer {
  /**
   * Makes one image for each of `PREVIEW_SIZES`, in that order, in a process of its own.
   * @throws CannotRender
   */
  render(content: Buffer, type: SourceType, signal: AbortSignal): Promise<Rendered[]>;
}

export interface PreviewStore {
  findVersion(id: string): Promise<FileVersion | undefined>;
  /**
   * Records the previews with the version and, if it is the tip, shows them with the file. Neither the file's revision nor
   * its time of change rises. Does nothing when the version has previews.
   * @returns false when the version no longer exists
   */
  record(version: FileVersion, previews: Preview[]): Promise<boolean>;
}
