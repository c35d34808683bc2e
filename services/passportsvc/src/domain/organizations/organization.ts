import { z } from 'zod';
import { Metadata, Text } from '@dtplatform/contracts';

/** Users and apps belong to one organization each. */
export const Organization = z.object({
  _id: z.string().min(1).max(64),
  _name: Text.trim().min(1).max(128),
  _metadata: Metadata.pick({ _createdAt: true, _updatedAt: true }),
});
export type Organization = z.infer<typeof Organization>;
