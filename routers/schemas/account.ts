import * as z from 'zod/mini';
import { loginPasswordSchema } from './auth.ts';

/** The name is typed once more, since nothing of it can be undone (look page, section 3, confirm dialog). */
export const deleteAccountInput = z.strictObject({
  username: z.string().check(z.trim(), z.minLength(1, 'Type your username')),
  currentPassword: loginPasswordSchema,
});

export type DeleteAccountInput = z.infer<typeof deleteAccountInput>;
