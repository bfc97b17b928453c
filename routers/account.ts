import { deleteAccount, prepareExport } from '../server/services/account/index.ts';
import { accountExportSchema, deleteAccountInput } from './schemas/account.ts';
import { doneSchema, emptyInput } from './schemas/primitives.ts';
import { router, sessionProcedure } from './trpc.ts';

export const accountRouter = router({
  export: sessionProcedure
    .input(emptyInput)
    .output(accountExportSchema)
    .mutation(({ ctx }) => prepareExport(ctx)),

  delete: sessionProcedure
    .input(deleteAccountInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => deleteAccount(ctx, input)),
});
