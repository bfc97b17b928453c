import * as z from 'zod/mini';
import { LOGIN_PASSWORD_MIN, PASSWORD_MAX, REGISTRATION_PASSWORD_MIN, USERNAME_MAX, USERNAME_MIN } from './limits.ts';
import { idSchema } from './primitives.ts';
import { emailSchema, usernameSchema, userSchema } from './user.ts';

/** At login only the length of a password is checked: the rules for new ones would tell a guesser what to leave out. */
const loginPasswordSchema = z
  .string()
  .check(
    z.minLength(LOGIN_PASSWORD_MIN, 'Password must be at least 6 characters'),
    z.maxLength(PASSWORD_MAX, 'Password is too long'),
  );
const newPasswordSchema = z
  .string()
  .check(
    z.minLength(REGISTRATION_PASSWORD_MIN, 'Password must be at least 8 characters'),
    z.maxLength(PASSWORD_MAX, 'Password is too long'),
    z.regex(/[A-Z]/, 'Password must contain at least one uppercase letter'),
    z.regex(/[a-z]/, 'Password must contain at least one lowercase letter'),
    z.regex(/[0-9]/, 'Password must contain at least one number'),
  );

export const loginInput = z.strictObject({
  username: z
    .string()
    .check(
      z.trim(),
      z.minLength(USERNAME_MIN, 'Username must be at least 3 characters'),
      z.maxLength(USERNAME_MAX, 'Username must be less than 50 characters'),
    ),
  password: loginPasswordSchema,
});
export const registerInput = z.strictObject({
  username: usernameSchema,
  email: emailSchema,
  password: newPasswordSchema,
});

const passwordsMatch = z.refine<{ password: string; confirmPassword: string }>(
  (form) => form.password === form.confirmPassword,
  { error: "Passwords don't match", path: ['confirmPassword'] },
);
/** The fields of the forms; `confirmPassword` is never sent. */
export const registerForm = z.extend(registerInput, { confirmPassword: z.string() }).check(passwordsMatch);
export const newPasswordForm = z
  .strictObject({ password: newPasswordSchema, confirmPassword: z.string() })
  .check(passwordsMatch);

/** Mailed one-time tokens: 32 random bytes in base64url. */
export const mailedTokenSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'This link is not complete'));

export const forgotPasswordInput = z.strictObject({ email: emailSchema });
export const checkResetLinkInput = z.strictObject({ token: mailedTokenSchema });
export const resetPasswordInput = z.strictObject({ token: mailedTokenSchema, password: newPasswordSchema });

/** A signed-in person is asked for this before an act that only the owner may do. */
export const currentPasswordSchema = z
  .string()
  .check(z.minLength(1, 'Enter your current password'), z.maxLength(PASSWORD_MAX, 'Password is too long'));
const passwordChange = z.strictObject({ currentPassword: currentPasswordSchema, newPassword: newPasswordSchema });
const passwordChanges = z.refine<z.infer<typeof passwordChange>>(
  (change) => change.newPassword !== change.currentPassword,
  { error: 'Choose a password other than the current one', path: ['newPassword'] },
);
export const changePasswordInput = passwordChange.check(passwordChanges);
export const changePasswordForm = z.extend(passwordChange, { confirmPassword: z.string() }).check(
  passwordChanges,
  z.refine((form) => form.newPassword === form.confirmPassword, {
    error: "Passwords don't match",
    path: ['confirmPassword'],
  }),
);
export const confirmEmailInput = z.strictObject({ token: mailedTokenSchema });
export const changeEmailInput = z.strictObject({ email: emailSchema, currentPassword: currentPasswordSchema });
export const stopEmailChangeInput = z.strictObject({ token: mailedTokenSchema });
/** Leads to a new password, since the person who requested the change knew the old one; valid for `resetPassword`. */
export const stoppedEmailChangeSchema = z.strictObject({ accountId: z.string(), resetToken: z.string() });
/** The address that the link was mailed to: another account may be logged in where it is opened. */
export const confirmedEmailSchema = z.strictObject({ email: z.string() });
export const revokeSessionInput = z.strictObject({ sessionId: idSchema });

export const accessSchema = z.strictObject({ accessToken: z.string(), expiresAt: z.date() });
/** The answer to login and registration: the access token and the user's fields. */
export const signedInSchema = z.extend(userSchema, { accessToken: z.string(), expiresAt: z.date() });

/** The account that has the new password; the browser that opened its link may be logged in to another. */
export const passwordResetSchema = z.strictObject({ accountId: z.string() });
/** True while a mailed link can still set a new password. */
export const resetLinkCheckSchema = z.strictObject({ isOpen: z.boolean() });

const sessionSchema = z.strictObject({
  id: idSchema,
  /** Browser and system in words, from the User-Agent header. */
  device: z.string(),
  address: z.string(),
  isCurrent: z.boolean(),
  createdAt: z.date(),
  lastUsedAt: z.date(),
});
export const sessionListSchema = z.strictObject({ items: z.array(sessionSchema) });

export type LoginInput = z.infer<typeof loginInput>;
export type RegisterInput = z.infer<typeof registerInput>;
export type ForgotPasswordInput = z.infer<typeof forgotPasswordInput>;
export type CheckResetLinkInput = z.infer<typeof checkResetLinkInput>;
export type ResetLinkCheck = z.infer<typeof resetLinkCheckSchema>;
export type ResetPasswordInput = z.infer<typeof resetPasswordInput>;
export type PasswordReset = z.infer<typeof passwordResetSchema>;
export type ChangePasswordInput = z.infer<typeof changePasswordInput>;
export type ConfirmEmailInput = z.infer<typeof confirmEmailInput>;
export type ChangeEmailInput = z.infer<typeof changeEmailInput>;
export type StopEmailChangeInput = z.infer<typeof stopEmailChangeInput>;
export type ConfirmedEmail = z.infer<typeof confirmedEmailSchema>;
export type StoppedEmailChange = z.infer<typeof stoppedEmailChangeSchema>;
export type RevokeSessionInput = z.infer<typeof revokeSessionInput>;
export type Access = z.infer<typeof accessSchema>;
export type SignedIn = z.infer<typeof signedInSchema>;
export type Session = z.infer<typeof sessionSchema>;
