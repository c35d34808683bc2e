import { expect } from '@jest/globals';
import sharp from 'sharp';
import { eventually } from '@dtplatform/testing';
import type { requests } from './requests.js';
import type { TestApp } from './start-app.js';

export interface Preview {
  _id: string;
  _width: number;
  _height: number;
  _fileVersionId: string;
}

const RED = { r: 255, g: 0, b: 0 };

export const picture = (width: number, height: number, background: object = RED) =>
  sharp({ create: { width, height, channels: 3, background } });

export const sizesOf = (previews: Preview[]) => previews.map(({ _width, _height }) => [_width, _height]);

/** Reads the previews of files. */
export const previewClient = (app: TestApp, olga: ReturnType<typeof requests>) => {
  const shown = async (id: string) => (await olga.get(`/${id}`).expect(200)).body as { _previews: Preview[] };
  return {
    shown,
    madeFor: (id: string): Promise<Preview[]> =>
      eventually(
        async () => {
          const { _previews } = await shown(id);
          expect(_previews).not.toEqual([]);
          return _previews;
        },
        { timeoutMs: 30_000 },
      ),
    objectExists: async (previewId: string) => (await app.deps.objects.head(`previews/${previewId}`)) !== undefined,
  };
};
