import {
  checkHealth,
  getReport,
  listReports,
  readHealth,
  readSharedReport,
  runDiagnostics,
  shareReport,
  stopSharing,
} from '../server/diagnostics/index.ts';
import {
  checkHealthInput,
  deploymentHealthSchema,
  getReportInput,
  healthInput,
  healthListSchema,
  listReportsInput,
  reportListSchema,
  reportSchema,
  runDiagnosticsInput,
  sharedLinkSchema,
  sharedReportInput,
  sharedReportSchema,
  shareReportInput,
  startedReportSchema,
} from './schemas/diagnostics.ts';
import { doneSchema } from './schemas/primitives.ts';
import { protectedProcedure, publicProcedure, router, writeProcedure } from './trpc.ts';

export const diagnosticsRouter = router({
  list: protectedProcedure
    .input(listReportsInput)
    .output(reportListSchema)
    .query(({ ctx, input }) => listReports(ctx, input)),

  get: protectedProcedure
    .input(getReportInput)
    .output(reportSchema)
    .query(({ ctx, input }) => getReport(ctx, input)),

  shared: publicProcedure
    .input(sharedReportInput)
    .output(sharedReportSchema)
    .query(({ ctx, input }) => readSharedReport(ctx, input)),

  health: protectedProcedure
    .input(healthInput)
    .output(healthListSchema)
    .query(({ ctx, input }) => readHealth(ctx, input)),

  check: writeProcedure
    .input(checkHealthInput)
    .output(deploymentHealthSchema)
    .mutation(({ ctx, input }) => checkHealth(ctx, input)),

  run: writeProcedure
    .input(runDiagnosticsInput)
    .output(startedReportSchema)
    .mutation(({ ctx, input }) => runDiagnostics(ctx, input)),

  share: writeProcedure
    .input(shareReportInput)
    .output(sharedLinkSchema)
    .mutation(({ ctx, input }) => shareReport(ctx, input)),

  stopSharing: writeProcedure
    .input(shareReportInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => stopSharing(ctx, input)),
});
