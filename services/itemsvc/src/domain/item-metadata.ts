import type { z } from 'zod';
import { Metadata } from '@dtplatform/contracts';

/** When and by whom an item was created and changed. */
export const ItemMetadata = Metadata.omit({ _createdByName: true, _updatedByName: true });
export type ItemMetadata = z.infer<typeof ItemMetadata>;

/** Who writes, and when (milliseconds since 1970). */
export interface Writing {
  byId: string;
  at: number;
}

/** Metadata of what is created now. */
export const metadataOf = ({ byId, at }: Writing): ItemMetadata => ({
  _createdAt: at,
  _updatedAt: at,
  _createdById: byId,
  _updatedById: byId,
});
