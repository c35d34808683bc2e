import type { Schemas } from '@dtplatform/sdk';

/** A file or folder. */
export type Entry = Schemas['File'];

/** Only files with this tag are loaded into the graphics store. */
export const GRAPHICS_TAG = '#invgraphicsfile#';

export const isFolder = ({ _type }: Entry) => _type === 'dir';
export const bytesOf = ({ _fileVersion, _uploadMeta }: Entry) => _fileVersion?._fileSize ?? _uploadMeta?._size;
export const extensionOf = (name: string) => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

const IMAGES: Record<string, string> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ svg: 'image/svg+xml', avif: 'image/avif', bmp: 'image/bmp' },
};
const TEXTS =
  'txt md csv tsv json jsonl geojson xml html htm css js mjs ts tsx py sql yaml yml toml ini log obj mtl ifc stp step sh';

/** How the console shows the content of a file. The name decides: what a browser makes of it is fixed by this type. */
export function showingOf(name: string): { as: 'image' | 'pdf' | 'text' | 'model' | 'nothing'; type: string } {
  const extension = extensionOf(name);
  const image = IMAGES[extension];
  if (image) return { as: 'image', type: image };
  if (extension === 'pdf') return { as: 'pdf', type: 'application/pdf' };
  if (['glb', 'gltf'].includes(extension)) return { as: 'model', type: 'model/gltf-binary' };
  if (TEXTS.split(' ').includes(extension)) return { as: 'text', type: 'text/plain' };
  return { as: 'nothing', type: 'application/octet-stream' };
}

/** Contents up to here are read into memory; of longer texts, the beginning. */
export const MAX_BYTES = 64 * 1024 * 1024;
export const TEXT_BYTES = 256 * 1024;

/** A regular expression for names that contain a text. */
export const nameWith = (text: string) => `(?i)${text.replace(/[^\p{L}\p{N} _]/gu, String.raw`\$&`)}`;
