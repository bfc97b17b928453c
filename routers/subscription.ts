import { chooseWritable, getAllowance, getSubscription, startTrial } from '../server/plans/subscription/index.ts';
import { cancelPlan, changePlan, resumePlan } from '../server/plans/subscription/life.ts';
import { emptyInput } from './schemas/primitives.ts';
import { allowanceSchema, changePlanInput, chooseWritableInput, subscriptionSchema } from './schemas/subscription.ts';
import { protectedProcedure, router, sessionProcedure, writeProcedure } from './trpc.ts';

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

  cancel: sessionProcedure
    .input(emptyInput)
    .output(subscriptionSchema)
    .mutation(({ ctx }) => cancelPlan(ctx)),

  resume: sessionProcedure
    .input(emptyInput)
    .output(subscriptionSchema)
    .mutation(({ ctx }) => resumePlan(ctx)),

  change: sessionProcedure
    .input(changePlanInput)
    .output(subscriptionSchema)
    .mutation(({ ctx, input }) => changePlan(ctx, input)),

  chooseWritable: sessionProcedure
    .input(chooseWritableInput)
    .output(allowanceSchema)
    .mutation(({ ctx, input }) => chooseWritable(ctx, input)),
});
