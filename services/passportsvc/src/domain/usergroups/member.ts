import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';

/** That a user belongs to a group. */
export const Member = z.object({
  /** Group and user: `memberId`. */
  _id: z.string(),
  _groupId: ResourceId,
  _userId: ResourceId,
});
export type Member = z.infer<typeof Member>;

export const memberId = (groupId: string, userId: string): string => `${groupId}:${userId}`;

export const newMember = (_groupId: string, _userId: string): Member => ({
  _id: memberId(_groupId, _userId),
  _groupId,
  _userId,
});
