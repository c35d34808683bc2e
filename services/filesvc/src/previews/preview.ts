import type { File, FileVersion } from '../files/file.js';

/** A preview fits into a square of so many pixels. An image that is smaller keeps its size. */
export const PREVIEW_SIZES = [256, 1024] as const;

export const PREVIEW_TYPE = 'image/webp';

/** Object key of a preview. */
export const previewKey = (previewId: string): string => `previews/${previewId}`;

/** Object keys of all previews of a version. */
export const previewKeysOf = ({ internal: { previews = [] } }: Pick<FileVersion, 'internal'>): string[] =>
  previews.map(({ _id }) => previewKey(_id));

/** The `_previews` of a file whose tip is this version. */
export const previewsOfTip = ({ _id: _fileVersionId, internal: { previews = [] } }: FileVersion): File['_previews'] =>
  previews.map(({ _id, _width, _height }) => ({ _id, _width, _height, _fileVersionId }));

/**
 * The file after previews of one of its versions were recorded. Always another document, so that the write conflicts with
 * other writes of the file: they may count, move or remove the version.
 */
export function withPreviewsOf(version: FileVersion, file: File): File {
  if (file._tipId === version._id) return { ...file, _previews: previewsOfTip(version) };
  const { previewsMade = 0 } = file.internal;
  return { ...file, internal: { ...file.internal, previewsMade: previewsMade + 1 } };
}

/** Whether it is worth looking at the content. Encoded content is never decoded. */
export const mayHavePreviews = ({ _fileSize, internal: { contentEncoding } }: FileVersion): boolean =>
  _fileSize > 0 && (contentEncoding === undefined || contentEncoding === 'identity');

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
