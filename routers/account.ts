import { deleteAccount } from '../server/services/account/index.ts';
import { deleteAccountInput } from './schemas/account.ts';
import { doneSchema } from './schemas/primitives.ts';
import { router, sessionProcedure } from './trpc.ts';

export const accountRouter = router({
  delete: sessionProcedure
    .input(deleteAccountInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => deleteAccount(ctx, input)),
});
