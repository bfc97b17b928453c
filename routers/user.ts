import { getUser } from '../server/services/user.ts';
import { emptyInput } from './schemas/primitives.ts';
import { userSchema } from './schemas/user.ts';
import { protectedProcedure, router } from './trpc.ts';

export const userRouter = router({
  get: protectedProcedure
    .input(emptyInput)
    .output(userSchema)
    .query(({ ctx }) => getUser(ctx)),
});
