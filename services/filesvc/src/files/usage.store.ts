import { GRAPHICS_TAG } from '@dtplatform/contracts';
import { idAfter } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { OwnerRange, RecountSource } from '@dtplatform/runtime';
import type { FileVersion } from './file.js';
import { fileModel, versionModel } from './file.model.js';
import { fileCounted, usageOf } from './usage.js';

const OWNERS = 100;
const MAX_VERSIONS = 20_000;

export function createRecountSource(mongo: Mongo): RecountSource {
  const files = mongo.collection(fileModel);
  const versions = mongo.collection(versionModel);

  const inRange = ({ namespace, after, until }: OwnerRange) => ({
    _namespaces: namespace,
    _id: { $gt: after, $lte: until },
  });

  return {
    async ofNamespace(namespace, options) {
      const counts = await files
        .aggregate<{ _id: boolean; count: number }>(
          [
            { $match: { _namespaces: namespace, _tipId: { $exists: true } } },
            { $group: { _id: { $in: [GRAPHICS_TAG, '$_tags'] }, count: { $sum: 1 } } },
          ],
          options,
        )
        .toArray();
      return counts.map(({ _id: isGraphics, count }) => ({
        ...fileCounted({ _tags: isGraphics ? [GRAPHICS_TAG] : [] }),
        _amount: count,
      }));
    },

    async ofOwners(range, options) {
      const owners = await files.find(inRange(range), { ...options, projection: { _tags: 1 } }).toArray();
      const ofOwners = { _fileId: { $in: owners.map(({ _id }) => _id) } };
      const projection = { _fileId: 1, _version: 1, _fileSize: 1, 'internal.previews': 1 };
      const found = versions.find(ofOwners, { ...options, projection }).limit(MAX_VERSIONS + 1);
      const versionsOf = new Map<string, FileVersion[]>(owners.map(({ _id }) => [_id, []]));
      let count = 0;
      for await (const version of found) {
        if (++count > MAX_VERSIONS) return undefined;
        versionsOf.get(version._fileId)!.push(version);
      }
      const usage = owners.flatMap((owner) => usageOf(owner, versionsOf.get(owner._id)!));
      return { changes: usage.filter(({ _dimensions }) => Object.keys(_dimensions).length > 0) };
    },

    endOfRange: (namespace, after) =>
      idAfter(mongo.model(fileModel), { _namespaces: namespace }, { after, count: OWNERS }),
  };
}
