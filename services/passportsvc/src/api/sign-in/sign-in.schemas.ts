import { z } from 'zod';

export const SignInParams = z.object({ uid: z.string().max(64) });
export type SignInParams = z.infer<typeof SignInParams>;
