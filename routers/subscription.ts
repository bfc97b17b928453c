import { getAllowance, getSubscription, startTrial } from '../server/services/subscription.ts';
import { emptyInput } from './schemas/primitives.ts';
import { allowanceSchema, subscriptionSchema } from './schemas/subscription.ts';
import { protectedProcedure, router, writeProcedure } from './trpc.ts';

export const subscriptionRouter = router({
  get: protectedProcedure
    .input(emptyInput)
    .output(subscriptionSchema)
    .query(({ ctx }) => getSubscription(ctx)),

  allowance: protectedProcedure
    .input(emptyInput)
    .output(allowanceSchema)
    .query(({ ctx }) => getAllowance(ctx)),

  startTrial: writeProcedure
    .input(emptyInput)
    .output(subscriptionSchema)
    .mutation(({ ctx }) => startTrial(ctx)),
});
