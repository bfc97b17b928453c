import * as z from 'zod/mini';
import { logLineSchema } from './events.ts';
import { UPLOAD_LIMITS } from './limits.ts';
import { NAME_NOTICE_CODES } from './name-notices.ts';
import { NORMALISED_MAX } from './normal-form.ts';
import { releaseDestinationSchema, shownErrorSchema } from './platforms/destination.ts';
import { platformIdSchema } from './platforms/index.ts';
import { cursorSchema, idSchema, pageSizeSchema, sha256Schema } from './primitives.ts';
import {
  listedReleaseStateSchema,
  releaseSourceSchema,
  releaseStateSchema,
  releaseStepNameSchema,
  stepStateSchema,
} from './states.ts';

export const prepareReleaseInput = z.optional(z.strictObject({ deploymentId: z.optional(idSchema) }));
export const preparedUploadSchema = z.strictObject({ uploadId: idSchema });

/** The amount that would be sent; the files themselves stay where they are. */
export const sentFilesSchema = z.strictObject({
  count: z.int().check(z.minimum(1), z.maximum(UPLOAD_LIMITS.maxFiles)),
  totalBytes: z.int().check(z.minimum(0)),
});
export const releaseRoomSchema = z.strictObject({
  /** The reason why the account has no room for them; null when it has. */
  refusal: z.nullable(
    z.strictObject({
      message: z.string(),
      hint: z.nullable(z.string()),
      /** True when they are refused even if the account has stored as many of them as it can have. */
      isCertain: z.boolean(),
      /** True when the account has more room once its address is confirmed. */
      asksToConfirm: z.boolean(),
    }),
  ),
});

export const publishedPathSchema = z.string().check(z.maxLength(NORMALISED_MAX, 'This name is too long'));
export const manifestFileSchema = z.strictObject({
  path: publishedPathSchema,
  sha256: sha256Schema,
  sizeBytes: z.int().check(z.minimum(0)),
});
export const uploadManifestInput = z.strictObject({
  files: z.array(manifestFileSchema),
  /** Paths that are left out by default and that the person chose to publish. */
  publishAnyway: z.optional(z.array(publishedPathSchema)),
});
const leftOutSchema = z.strictObject({ path: z.string(), reason: z.string() });
/** A notice about names that are published unchanged; `paths` lists fifty at most. */
const nameNoticeSchema = z.strictObject({
  code: z.enum(NAME_NOTICE_CODES),
  message: z.string(),
  hint: z.string(),
  paths: z.array(z.string()),
});
/** Files that operating systems add (`__MACOSX`, `.DS_Store`, `x:Zone.Identifier`): not published, not listed. */
const droppedCountSchema = z.int();
/** The answer: the missing hashes, and the paths that are not published. */
export const uploadManifestAnswer = z.strictObject({
  missing: z.array(sha256Schema),
  leftOut: z.array(leftOutSchema),
  droppedCount: droppedCountSchema,
  notices: z.array(nameNoticeSchema),
});
/**
 * The answer of `GET /api/uploads/{uploadId}/files`: the missing hashes. `POST` there takes many small files in one
 * body of at most `UPLOAD_LIMITS.maxBundleBytes`: each file is preceded by its hash and a line feed.
 */
export const uploadMissingAnswer = z.strictObject({ missing: z.array(sha256Schema) });
/**
 * The answer of `POST /api/uploads/{uploadId}/zip`, in the form of the manifest's: nothing is missing any more, and
 * `files` is the present list.
 */
export const uploadZipAnswer = z.strictObject({
  missing: z.array(sha256Schema),
  leftOut: z.array(leftOutSchema),
  files: z.array(manifestFileSchema),
  totalBytes: z.int(),
  droppedCount: droppedCountSchema,
  notices: z.array(nameNoticeSchema),
});

/**
 * The answer of `GET /api/uploads/{uploadId}/zip?key=`: the number of bytes of this archive that have arrived and need
 * not be sent again.
 */
export const uploadZipArrived = z.strictObject({ bytes: z.int().check(z.minimum(0)) });

export const previewUploadInput = z.strictObject({ uploadId: idSchema });
/** The address at which the host serves the upload, on an origin of its own. */
export const uploadPreviewSchema = z.strictObject({ url: z.string() });

export const createReleaseInput = z.strictObject({
  deploymentId: idSchema,
  uploadId: idSchema,
  /** Makes no release of files that are already live; a caller that wants one anyway repeats the call without this. */
  ifChanged: z.optional(z.boolean()),
  /** Said by the editor, whose list of files arrives as that of a folder. */
  source: z.optional(z.literal('editor')),
});
export const getReleaseInput = z.union([
  z.strictObject({ releaseId: idSchema }),
  z.strictObject({ deploymentId: idSchema, number: z.int().check(z.minimum(1)) }),
]);
/** Without a deployment: all releases of the account, newest first (Deployment History). */
export const listReleasesInput = z.optional(
  z.strictObject({
    deploymentId: z.optional(idSchema),
    state: z.optional(listedReleaseStateSchema),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const cancelReleaseInput = z.strictObject({ releaseId: idSchema });
export const retryReleaseInput = z.strictObject({ releaseId: idSchema });
/**
 * Compares with `against`, another release of the same deployment; without it, with the release that visitors had when
 * it was made.
 */
export const diffReleaseInput = z.strictObject({ releaseId: idSchema, against: z.optional(idSchema) });
export const handOffInput = z.strictObject({ releaseId: idSchema });
const ADDRESS_MAX = 300;
/** `url`: the address at which a person has published the release by hand. */
export const confirmReleaseInput = z.strictObject({
  releaseId: idSchema,
  url: z
    .string()
    .check(z.trim(), z.minLength(1, 'Enter the address'), z.maxLength(ADDRESS_MAX, 'This address is too long')),
});
/** Without a destination: the log of the primary one. */
export const readPlatformLogInput = z.strictObject({ releaseId: idSchema, destinationId: z.optional(idSchema) });
export const downloadReleaseInput = z.strictObject({ releaseId: idSchema });

export const releaseSchema = z.strictObject({
  id: idSchema,
  deploymentId: idSchema,
  deploymentName: z.string(),
  deploymentSlug: z.string(),
  platform: platformIdSchema,
  number: z.number(),
  state: releaseStateSchema,
  /** True when the deployment serves this release now. */
  isCurrent: z.boolean(),
  source: releaseSourceSchema,
  /** The name of the user, or of the API token. */
  createdBy: z.string(),
  /** The public address, and the release's own (kept as its preview). */
  url: z.string(),
  previewUrl: z.string(),
  fileCount: z.number(),
  totalBytes: z.number(),
  /** The number of files that differ from the release that visitors had when it was made; all of them for the first. */
  changedFiles: z.number(),
  /** Files that the store has lost, or found corrupted: they are not served. At most `CORRUPTED_FILES_MAX`. */
  corruptedFiles: z.array(z.string()),
  /** False when visitors who open the address see “not found”; releases made before this was stored say true. */
  hasStartPage: z.boolean(),
  /** True when browsers cannot show its files before a build. */
  needsBuild: z.exactOptional(z.boolean()),
  error: z.nullable(shownErrorSchema),
  /** The deployment's primary destination, or the first that the release has. */
  primaryId: idSchema,
  destinations: z.array(releaseDestinationSchema),
  createdAt: z.date(),
  startedAt: z.nullable(z.date()),
  finishedAt: z.nullable(z.date()),
});
const releaseStepSchema = z.strictObject({
  name: releaseStepNameSchema,
  state: stepStateSchema,
  startedAt: z.nullable(z.date()),
  endedAt: z.nullable(z.date()),
  done: z.number(),
  total: z.number(),
  doneBytes: z.number(),
  totalBytes: z.number(),
  /** The parts of `done` and `doneBytes` that the platform had before anything was sent; null when it is not known. */
  doneBefore: z.nullable(z.number()),
  doneBytesBefore: z.nullable(z.number()),
  log: z.array(logLineSchema),
});
const listedReleaseSchema = z.extend(releaseSchema, {
  /** The release that its deployment serves now. */
  servingNumber: z.nullable(z.number()),
});
export const releaseDetailSchema = z.extend(listedReleaseSchema, {
  /** Steps at the primary destination. */
  steps: z.array(releaseStepSchema),
  /** Steps at each of the other destinations, which follow once the release is live. */
  furtherSteps: z.array(z.strictObject({ destinationId: idSchema, steps: z.array(releaseStepSchema) })),
  /** Links to files that are not there, except those that `missingLinks` name; see `MISSING_LINKS_MAX`. */
  brokenLinks: z.array(z.strictObject({ path: z.string(), line: z.number(), text: z.string() })),
  /** The release that was live before this one last went live; null when there was none, or it is not kept. */
  replaced: z.nullable(z.strictObject({ id: idSchema, number: z.number() })),
});
export const ROLL_BACK_STATES = ['running', 'done', 'failed'] as const;

/** One act of going back to an earlier release, for the history. */
const rollBackSchema = z.strictObject({
  id: idSchema,
  deploymentId: idSchema,
  deploymentName: z.string(),
  deploymentSlug: z.string(),
  /** The deployment's address for visitors; empty until its platform has named one. */
  url: z.string(),
  fromNumber: z.number(),
  toNumber: z.number(),
  /** The name of the user, or of the API token. */
  createdBy: z.string(),
  state: z.enum(ROLL_BACK_STATES),
  createdAt: z.date(),
  endedAt: z.nullable(z.date()),
});
export const releaseListSchema = z.strictObject({
  items: z.array(listedReleaseSchema),
  /** The rollbacks in the time of the page; a list of one state has none, and that of `rolled_back` nothing else. */
  rollBacks: z.array(rollBackSchema),
  nextCursor: z.nullable(z.string()),
});

/** A difference lists this many files of each kind; the counts are complete. */
export const DIFF_FILES_MAX = 500;
const differingFileSchema = z.strictObject({ path: z.string(), sizeBytes: z.number() });

export const releaseDiffSchema = z.strictObject({
  /** The release it is compared with; null for the first. */
  previousId: z.nullable(idSchema),
  previousNumber: z.nullable(z.number()),
  added: z.array(differingFileSchema),
  /** Each has the hashes by which either release gives its content (`GET /api/releases/{releaseId}/files/{sha256}`). */
  changed: z.array(
    z.extend(differingFileSchema, { sha256: z.string(), previousBytes: z.number(), previousSha256: z.string() }),
  ),
  removed: z.array(differingFileSchema),
  /** Counts all files, even those that a list has no room for. */
  counts: z.strictObject({ added: z.number(), changed: z.number(), removed: z.number() }),
  /** True when a list was cut at `DIFF_FILES_MAX`. */
  isCut: z.boolean(),
});

/**
 * A link that streams the release as a ZIP to anybody who opens it, for a minute: a browser saves it without a header.
 */
export const releaseDownloadSchema = z.strictObject({
  url: z.string(),
  fileName: z.string(),
  sizeBytes: z.number(),
  expiresAt: z.date(),
  /** Notices about names that not every system can unpack unchanged. */
  notices: z.array(nameNoticeSchema),
});

/** The work for the person: an archive to upload there, and the steps in order. */
export const releaseHandOffSchema = z.strictObject({
  archive: z.strictObject({ url: z.string() }),
  steps: z.array(z.strictObject({ text: z.string(), url: z.optional(z.string()) })),
  /** The address that was entered, or that of an earlier release there; empty before the first. */
  address: z.string(),
});

export const platformLogSchema = z.strictObject({ text: z.string() });

export type ReadPlatformLogInput = z.infer<typeof readPlatformLogInput>;
export type PlatformLog = z.infer<typeof platformLogSchema>;
export type PrepareReleaseInput = z.infer<typeof prepareReleaseInput>;
export type PreviewUploadInput = z.infer<typeof previewUploadInput>;
export type UploadPreview = z.infer<typeof uploadPreviewSchema>;
export type SentFiles = z.infer<typeof sentFilesSchema>;
export type ReleaseRoom = z.infer<typeof releaseRoomSchema>;
export type PreparedUpload = z.infer<typeof preparedUploadSchema>;
export type UploadManifestInput = z.infer<typeof uploadManifestInput>;
export type UploadManifestAnswer = z.infer<typeof uploadManifestAnswer>;
export type UploadMissingAnswer = z.infer<typeof uploadMissingAnswer>;
export type UploadZipAnswer = z.infer<typeof uploadZipAnswer>;
export type UploadZipArrived = z.infer<typeof uploadZipArrived>;
export type LeftOut = z.infer<typeof leftOutSchema>;
export type CreateReleaseInput = z.infer<typeof createReleaseInput>;
export type GetReleaseInput = z.infer<typeof getReleaseInput>;
export type ListReleasesInput = z.infer<typeof listReleasesInput>;
export type CancelReleaseInput = z.infer<typeof cancelReleaseInput>;
export type RetryReleaseInput = z.infer<typeof retryReleaseInput>;
export type DiffReleaseInput = z.infer<typeof diffReleaseInput>;
export type DownloadReleaseInput = z.infer<typeof downloadReleaseInput>;
export type HandOffInput = z.infer<typeof handOffInput>;
export type ConfirmReleaseInput = z.infer<typeof confirmReleaseInput>;
export type ReleaseHandOff = z.infer<typeof releaseHandOffSchema>;
export type Release = z.infer<typeof releaseSchema>;
export type ReleaseStep = z.infer<typeof releaseStepSchema>;
export type ListedRelease = z.infer<typeof listedReleaseSchema>;
export type ReleaseDetail = z.infer<typeof releaseDetailSchema>;
export type ReleaseList = z.infer<typeof releaseListSchema>;
export type DifferingFile = z.infer<typeof differingFileSchema>;
export type ReleaseDiff = z.infer<typeof releaseDiffSchema>;
export type ReleaseDownload = z.infer<typeof releaseDownloadSchema>;
export type RollBack = z.infer<typeof rollBackSchema>;
