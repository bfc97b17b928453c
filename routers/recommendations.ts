import { rankForUpload } from '../server/publishing/inspection/recommendations.ts';
import { rankInput, rankingSchema } from './schemas/recommendations.ts';
import { protectedProcedure, router } from './trpc.ts';

export const recommendationsRouter = router({
  rank: protectedProcedure
    .input(rankInput)
    .output(rankingSchema)
    .query(({ ctx, input }) => rankForUpload(ctx, input)),
});
