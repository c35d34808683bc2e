import type { z } from 'zod';
import { Metadata } from '@dtplatform/contracts';

export const ItemMetadata = Metadata.omit({ _createdByName: true, _updatedByName: true }).meta({
  id: 'ItemMetadata',
  description: 'When a resource was created and last changed, and by whom.',
});
export type ItemMetadata = z.infer<typeof ItemMetadata>;

export const ProjectedMetadata = ItemMetadata.partial().meta({
  id: 'ProjectedMetadata',
  description: 'Metadata, reduced by a projection.',
});

/** `at`: milliseconds since 1970. */
export interface Writing {
  byId: string;
  at: number;
}

export const metadataOf = ({ byId, at }: Writing): ItemMetadata => ({
  _createdAt: at,
  _updatedAt: at,
  _createdById: byId,
  _updatedById: byId,
});

/** The metadata fields that every write sets. */
export const touched = ({ at, byId }: Writing) => ({ '_metadata._updatedAt': at, '_metadata._updatedById': byId });
