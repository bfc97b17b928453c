import { acceptDisclaimer, getDisclaimerStatus } from '../server/account/disclaimer.ts';
import { disclaimerStatusSchema } from './schemas/disclaimer.ts';
import { emptyInput } from './schemas/primitives.ts';
import { publicProcedure, publicWriteProcedure, router } from './trpc.ts';

export const disclaimerRouter = router({
  status: publicProcedure
    .input(emptyInput)
    .output(disclaimerStatusSchema)
    .query(({ ctx }) => getDisclaimerStatus(ctx)),

  accept: publicWriteProcedure
    .input(emptyInput)
    .output(disclaimerStatusSchema)
    .mutation(({ ctx }) => acceptDisclaimer(ctx)),
});
