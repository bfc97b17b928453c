import {
  cancelRelease,
  confirmRelease,
  createRelease,
  diffRelease,
  getRelease,
  listReleases,
  prepareDownload,
  prepareRelease,
  previewUpload,
  readHandOff,
  readPlatformLog,
  retryRelease,
} from '../server/publishing/releases/index.ts';
import { readRoom } from '../server/publishing/uploads/index.ts';
import {
  cancelReleaseInput,
  confirmReleaseInput,
  createReleaseInput,
  diffReleaseInput,
  downloadReleaseInput,
  getReleaseInput,
  handOffInput,
  listReleasesInput,
  platformLogSchema,
  preparedUploadSchema,
  prepareReleaseInput,
  previewUploadInput,
  readPlatformLogInput,
  releaseDetailSchema,
  releaseDiffSchema,
  releaseDownloadSchema,
  releaseHandOffSchema,
  releaseListSchema,
  releaseRoomSchema,
  releaseSchema,
  retryReleaseInput,
  sentFilesSchema,
  uploadPreviewSchema,
} from './schemas/releases.ts';
import { protectedProcedure, router, writeProcedure } from './trpc.ts';

export const releasesRouter = router({
  list: protectedProcedure
    .input(listReleasesInput)
    .output(releaseListSchema)
    .query(({ ctx, input }) => listReleases(ctx, input)),

  get: protectedProcedure
    .input(getReleaseInput)
    .output(releaseDetailSchema)
    .query(({ ctx, input }) => getRelease(ctx, input)),

  platformLog: protectedProcedure
    .input(readPlatformLogInput)
    .output(platformLogSchema)
    .query(({ ctx, input }) => readPlatformLog(ctx, input)),

  diff: protectedProcedure
    .input(diffReleaseInput)
    .output(releaseDiffSchema)
    .query(({ ctx, input }) => diffRelease(ctx, input)),

  download: protectedProcedure
    .input(downloadReleaseInput)
    .output(releaseDownloadSchema)
    .mutation(({ ctx, input }) => prepareDownload(ctx, input)),

  handOff: protectedProcedure
    .input(handOffInput)
    .output(releaseHandOffSchema)
    .query(({ ctx, input }) => readHandOff(ctx, input)),

  confirm: writeProcedure
    .input(confirmReleaseInput)
    .output(releaseSchema)
    .mutation(({ ctx, input }) => confirmRelease(ctx, input)),

  room: protectedProcedure
    .input(sentFilesSchema)
    .output(releaseRoomSchema)
    .query(({ ctx, input }) => readRoom(ctx, input)),

  prepare: writeProcedure
    .input(prepareReleaseInput)
    .output(preparedUploadSchema)
    .mutation(({ ctx, input }) => prepareRelease(ctx, input)),

  preview: writeProcedure
    .input(previewUploadInput)
    .output(uploadPreviewSchema)
    .mutation(({ ctx, input }) => previewUpload(ctx, input)),

  create: writeProcedure
    .input(createReleaseInput)
    .output(releaseSchema)
    .mutation(({ ctx, input }) => createRelease(ctx, input)),

  cancel: writeProcedure
    .input(cancelReleaseInput)
    .output(releaseSchema)
    .mutation(({ ctx, input }) => cancelRelease(ctx, input)),

  retry: writeProcedure
    .input(retryReleaseInput)
    .output(releaseSchema)
    .mutation(({ ctx, input }) => retryRelease(ctx, input)),
});
