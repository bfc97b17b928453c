import * as z from 'zod/mini';
import { EMAIL_MAX, USERNAME_MAX, USERNAME_MIN } from './limits.ts';
import { idSchema } from './primitives.ts';

/** Only A to Z and a to z count as letters, so that no two names look alike. */
export const usernameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(USERNAME_MIN, 'Username must be at least 3 characters'),
    z.maxLength(USERNAME_MAX, 'Username must be less than 50 characters'),
    z.regex(/^[A-Za-z0-9 _-]*$/, 'Username can only contain letters, numbers, spaces, underscores and hyphens'),
  );
export const emailSchema = z
  .string()
  .check(z.trim(), z.maxLength(EMAIL_MAX, 'Email is too long'), z.email('Please enter a valid email address'));

/** The signed-in person. Never a password, never a token. */
export const userSchema = z.strictObject({
  id: idSchema,
  username: z.string(),
  email: z.string(),
  emailConfirmed: z.boolean(),
  /** A new address that is not confirmed yet; the old one stays until then. */
  pendingEmail: z.nullable(z.string()),
  /** True for the current version of the disclaimer only. */
  disclaimerAccepted: z.boolean(),
  deploymentCount: z.number(),
  isBetaTester: z.boolean(),
  createdAt: z.date(),
});

export const updateUserInput = z.strictObject({ username: usernameSchema });

/** The mails that a person wants beside those of confirmation, reset and security. */
export const notificationSettingsSchema = z.strictObject({
  releaseFailed: z.boolean(),
  releaseLive: z.boolean(),
});

export type User = z.infer<typeof userSchema>;
export type UpdateUserInput = z.infer<typeof updateUserInput>;
export type NotificationSettings = z.infer<typeof notificationSettingsSchema>;
