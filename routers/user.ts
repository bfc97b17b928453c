import { getNotifications, getUser, updateNotifications, updateUser } from '../server/account/user.ts';
import { emptyInput } from './schemas/primitives.ts';
import { notificationSettingsSchema, updateUserInput, userSchema } from './schemas/user.ts';
import { protectedProcedure, router, sessionProcedure } from './trpc.ts';

export const userRouter = router({
  get: protectedProcedure
    .input(emptyInput)
    .output(userSchema)
    .query(({ ctx }) => getUser(ctx)),

  notifications: sessionProcedure
    .input(emptyInput)
    .output(notificationSettingsSchema)
    .query(({ ctx }) => getNotifications(ctx)),

  update: sessionProcedure
    .input(updateUserInput)
    .output(userSchema)
    .mutation(({ ctx, input }) => updateUser(ctx, input)),

  updateNotifications: sessionProcedure
    .input(notificationSettingsSchema)
    .output(notificationSettingsSchema)
    .mutation(({ ctx, input }) => updateNotifications(ctx, input)),
});
