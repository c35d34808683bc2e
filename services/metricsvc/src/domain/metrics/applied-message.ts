import { z } from 'zod';

/** Marks a message as added. It expires once the message can no longer be delivered again. */
export const AppliedMessage = z.object({ _id: z.string(), at: z.date() });
export type AppliedMessage = z.infer<typeof AppliedMessage>;
