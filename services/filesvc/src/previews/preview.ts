import type { File, FileVersion } from '../files/file.js';

/** Side lengths in pixels of the squares that previews fit into. Smaller images keep their size. */
export const PREVIEW_SIZES = [256, 1024] as const;

export const PREVIEW_TYPE = 'image/webp';

export const previewKey = (previewId: string): string => `previews/${previewId}`;

export const previewKeysOf = ({ internal: { previews = [] } }: Pick<FileVersion, 'internal'>): string[] =>
  previews.map(({ _id }) => previewKey(_id));

export const previewsOfTip = ({ _id: _fileVersionId, internal: { previews = [] } }: FileVersion): File['_previews'] =>
  previews.map(({ _id, _width, _height }) => ({ _id, _width, _height, _fileVersionId }));

/**
 * The file after previews of a version were recorded. Always a changed document, so that the write conflicts with other
 * writes of the file, which may count, move or remove the version.
 */
export function withPreviewsOf(version: FileVersion, file: File): File {
  if (file._tipId === version._id) return { ...file, _previews: previewsOfTip(version) };
  const { previewsMade = 0 } = file.internal;
  return { ...file, internal: { ...file.internal, previewsMade: previewsMade + 1 } };
}

/** Whether to examine the content. Encoded content is never decoded. */
export const mayHavePreviews = ({ _fileSize, internal: { contentEncoding } }: FileVersion): boolean =>
  _fileSize > 0 && (contentEncoding === undefined || contentEncoding === 'identity');

export interface Rendered {
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  data: Uint8Array;
}

/** The content is malformed or exceeds the renderer's limits. Retrying does not help. */
export class CannotRender extends Error {}
