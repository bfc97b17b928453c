import { confirmDeletion, deleteAccount, prepareExport } from '../server/account-data/index.ts';
import {
  accountDeletionSchema,
  accountExportSchema,
  confirmDeletionInput,
  deleteAccountInput,
  deletedAccountSchema,
} from './schemas/account.ts';
import { emptyInput } from './schemas/primitives.ts';
import { publicProcedure, router, sessionProcedure } from './trpc.ts';

export const accountRouter = router({
  export: sessionProcedure
    .input(emptyInput)
    .output(accountExportSchema)
    .mutation(({ ctx }) => prepareExport(ctx)),

  delete: sessionProcedure
    .input(deleteAccountInput)
    .output(accountDeletionSchema)
    .mutation(({ ctx, input }) => deleteAccount(ctx, input)),

  confirmDeletion: publicProcedure
    .input(confirmDeletionInput)
    .output(deletedAccountSchema)
    .mutation(({ ctx, input }) => confirmDeletion(ctx, input)),
});
