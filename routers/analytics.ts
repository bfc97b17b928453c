import { prepareVisitsDownload, readReleaseStatistics, readVisits } from '../server/analytics/index.ts';
import {
  downloadVisitsInput,
  releaseStatisticsInput,
  releaseStatisticsSchema,
  visitsDownloadSchema,
  visitsInput,
  visitsSchema,
} from './schemas/analytics.ts';
import { protectedProcedure, router } from './trpc.ts';

export const analyticsRouter = router({
  visits: protectedProcedure
    .input(visitsInput)
    .output(visitsSchema)
    .query(({ ctx, input }) => readVisits(ctx, input)),

  releases: protectedProcedure
    .input(releaseStatisticsInput)
    .output(releaseStatisticsSchema)
    .query(({ ctx, input }) => readReleaseStatistics(ctx, input)),

  download: protectedProcedure
    .input(downloadVisitsInput)
    .output(visitsDownloadSchema)
    .mutation(({ ctx, input }) => prepareVisitsDownload(ctx, input)),
});
