import {
  changeEmail,
  changePassword,
  checkResetLink,
  confirmEmail,
  forgotPassword,
  listSessions,
  login,
  logout,
  refresh,
  register,
  resetPassword,
  revokeSession,
  sendConfirmation,
  stopEmailChange,
  withdrawEmailChange,
} from '../server/account/auth/index.ts';
import {
  accessSchema,
  changeEmailInput,
  changePasswordInput,
  checkResetLinkInput,
  confirmEmailInput,
  confirmedEmailSchema,
  forgotPasswordInput,
  loginInput,
  passwordResetSchema,
  registerInput,
  resetLinkCheckSchema,
  resetPasswordInput,
  revokeSessionInput,
  sessionListSchema,
  signedInSchema,
  stopEmailChangeInput,
  stoppedEmailChangeSchema,
} from './schemas/auth.ts';
import { doneSchema, emptyInput } from './schemas/primitives.ts';
import { publicProcedure, router, sessionProcedure } from './trpc.ts';

export const authRouter = router({
  sessions: sessionProcedure
    .input(emptyInput)
    .output(sessionListSchema)
    .query(({ ctx }) => listSessions(ctx)),

  register: publicProcedure
    .input(registerInput)
    .output(signedInSchema)
    .mutation(({ ctx, input }) => register(ctx, input)),

  login: publicProcedure
    .input(loginInput)
    .output(signedInSchema)
    .mutation(({ ctx, input }) => login(ctx, input)),

  refresh: publicProcedure
    .input(emptyInput)
    .output(accessSchema)
    .mutation(({ ctx }) => refresh(ctx)),

  logout: publicProcedure
    .input(emptyInput)
    .output(doneSchema)
    .mutation(({ ctx }) => logout(ctx)),

  forgotPassword: publicProcedure
    .input(forgotPasswordInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => forgotPassword(ctx, input)),

  // This is no query, because its input would be in an address, which proxies log.
  checkResetLink: publicProcedure
    .input(checkResetLinkInput)
    .output(resetLinkCheckSchema)
    .mutation(({ ctx, input }) => checkResetLink(ctx, input)),

  resetPassword: publicProcedure
    .input(resetPasswordInput)
    .output(passwordResetSchema)
    .mutation(({ ctx, input }) => resetPassword(ctx, input)),

  changePassword: sessionProcedure
    .input(changePasswordInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  sendConfirmation: sessionProcedure
    .input(emptyInput)
    .output(doneSchema)
    .mutation(({ ctx }) => sendConfirmation(ctx)),

  confirmEmail: publicProcedure
    .input(confirmEmailInput)
    .output(confirmedEmailSchema)
    .mutation(({ ctx, input }) => confirmEmail(ctx, input)),

  changeEmail: sessionProcedure
    .input(changeEmailInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => changeEmail(ctx, input)),

  withdrawEmailChange: sessionProcedure
    .input(emptyInput)
    .output(doneSchema)
    .mutation(({ ctx }) => withdrawEmailChange(ctx)),

  stopEmailChange: publicProcedure
    .input(stopEmailChangeInput)
    .output(stoppedEmailChangeSchema)
    .mutation(({ ctx, input }) => stopEmailChange(ctx, input)),

  revokeSession: sessionProcedure
    .input(revokeSessionInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => revokeSession(ctx, input)),
});
