import { showVersion } from '../files/file.js';
import type { File, FileVersion } from '../files/file.js';
import { previewsOfTip } from '../previews/preview.js';

/** A file with this version as its tip. */
export function withTip(file: File, version: FileVersion): File {
  const { previews: _made, ...content } = version.internal;
  const { tipSince: _former, ...internal } = file.internal;
  return {
    ...file,
    _tipId: version._id,
    _tipVersion: version._version,
    _fileVersion: showVersion(version),
    _previews: previewsOfTip(version),
    internal: { ...internal, content },
  };
}
