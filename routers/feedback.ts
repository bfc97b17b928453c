import { rate } from '../server/account/feedback.ts';
import { rateInput } from './schemas/feedback.ts';
import { doneSchema } from './schemas/primitives.ts';
import { publicWriteProcedure, router } from './trpc.ts';

export const feedbackRouter = router({
  rate: publicWriteProcedure
    .input(rateInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => rate(ctx, input)),
});
