import * as z from 'zod/mini';
import { currentPasswordSchema, mailedTokenSchema } from './auth.ts';

/** A link that streams the whole account as one ZIP to anybody who opens it, for a minute. */
export const accountExportSchema = z.strictObject({ url: z.string(), fileName: z.string(), expiresAt: z.date() });

/** The name is typed again, since a deleted account cannot be restored. */
export const deleteAccountInput = z.strictObject({
  username: z.string().check(z.trim(), z.minLength(1, 'Type your username')),
  currentPassword: currentPasswordSchema,
});

/** `mailedTo`: the address that got the link to delete the account; null when it is deleted already. */
export const accountDeletionSchema = z.strictObject({ mailedTo: z.nullable(z.string()) });

export const confirmDeletionInput = z.strictObject({ token: mailedTokenSchema });

/** The deleted account; the browser that opened its link may be logged in to another. */
export const deletedAccountSchema = z.strictObject({ accountId: z.string() });

export type AccountExport = z.infer<typeof accountExportSchema>;
export type DeleteAccountInput = z.infer<typeof deleteAccountInput>;
export type AccountDeletion = z.infer<typeof accountDeletionSchema>;
export type ConfirmDeletionInput = z.infer<typeof confirmDeletionInput>;
export type DeletedAccount = z.infer<typeof deletedAccountSchema>;
