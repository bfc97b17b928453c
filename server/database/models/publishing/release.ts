import { type ClientSession, type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { RUNNING_RELEASE_STATES } from '../../../../routers/schemas/state-names.ts';
import { releaseSourceSchema, releaseStateSchema } from '../../../../routers/schemas/states.ts';
import { accountScope } from '../account-scope.ts';
import { errorDocSchema } from './destination.ts';

const brokenLinkSchema = new Schema(
  {
    path: { type: String, required: true },
    line: { type: Number, required: true },
    text: { type: String, required: true },
    target: { type: String, required: true },
    /** True for a file that the start page misses, which is told as such. */
    isToldAsFile: { type: Boolean },
  },
  { _id: false },
);

const releaseDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    number: { type: Number, required: true },
    state: { type: String, enum: releaseStateSchema.options, required: true, default: 'queued' as const },
    source: { type: String, enum: releaseSourceSchema.options, required: true },
    createdBy: { type: String, required: true },
    /** The manifest is an artifact of its own. */
    manifestHash: { type: String, required: true },
    fileCount: { type: Number, required: true },
    totalBytes: { type: Number, required: true },
    changedFiles: { type: Number, required: true },
    /** True when the address itself shows a page; absent in releases that an earlier version of Fairlead made. */
    hasStartPage: { type: Boolean },
    /** True when browsers cannot show its files before a build; absent while nobody looked, and in older releases. */
    needsBuild: { type: Boolean },
    /**
     * Links to files that are not there (server/publishing/publication/missing.ts); absent while nobody looked for
     * them, and in releases that an earlier version of Fairlead made.
     */
    brokenLinks: { type: [brokenLinkSchema], default: undefined },
    /** Counts what visitors do not get, and names one example; absent when nothing is missing. */
    missing: {
      type: new Schema(
        {
          files: { type: Number, required: true },
          links: { type: Number, required: true },
          example: { type: String, required: true },
        },
        { _id: false },
      ),
    },
    /** Files that the store has lost (server/store/corruption.ts). */
    corruptedFiles: {
      type: [
        new Schema(
          { path: { type: String, required: true }, sha256: { type: String, required: true } },
          { _id: false },
        ),
      ],
      required: true,
      default: [],
    },
    /**
     * The time at which it was first seen live. A rollback to a verified release runs the second half of verification
     * only.
     */
    verifiedAt: { type: Date, default: null },
    /** The last time it went live; a rollback to it sets it anew. */
    liveSince: { type: Date, default: null },
    /**
     * The release that visitors had when this one was made, so that its changes are those that visitors see. Null when
     * there was none; absent in releases that an earlier version of Fairlead made.
     */
    previousReleaseId: { type: String },
    /** The release that was served when this one took over. The pointer goes back to it when verification fails. */
    replacedReleaseId: { type: String, default: null },
    /**
     * The last time it was taken from the public address. Visitors who opened a page before may still request its
     * files.
     */
    servedUntil: { type: Date, default: null },
    cancelRequestedAt: { type: Date, default: null },
    error: { type: errorDocSchema, default: null },
    startedAt: { type: Date, default: null },
    finishedAt: { type: Date, default: null },
  },
  { timestamps: true, collection: 'releases', minimize: false },
);
releaseDocSchema.index({ deploymentId: 1, number: -1 }, { name: 'deployment_number', unique: true });
// The two lists, newest first. The fields of their filters are in the index, so that rows that do not match are never
// fetched.
releaseDocSchema.index({ accountId: 1, createdAt: -1, _id: -1, state: 1 }, { name: 'account_newest' });
releaseDocSchema.index(
  { accountId: 1, deploymentId: 1, number: -1, state: 1, verifiedAt: 1 },
  { name: 'account_deployment_newest' },
);
releaseDocSchema.index(
  { deploymentId: 1 },
  { name: 'one_running', unique: true, partialFilterExpression: { state: { $in: [...RUNNING_RELEASE_STATES] } } },
);
releaseDocSchema.index({ manifestHash: 1 }, { name: 'manifest' });
// The host asks which releases visitors had within the last day.
releaseDocSchema.index({ deploymentId: 1, servedUntil: 1 }, { name: 'deployment_served_until' });
releaseDocSchema.index({ 'corruptedFiles.sha256': 1 }, { name: 'corrupted', sparse: true });
/** The number of files that an account's releases name is added up from the index alone. */
releaseDocSchema.index({ accountId: 1, fileCount: 1 }, { name: 'account_files' });
releaseDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type ReleaseRow = InferSchemaType<typeof releaseDocSchema>;
export type ReleaseDoc = HydratedDocument<ReleaseRow>;
export const ReleaseModel = model('Release', releaseDocSchema);

/** Returns how many files these releases name; a file that several of them share counts once for each. */
export async function sumOfReleaseFiles(
  filter: { accountId?: string },
  session: ClientSession | null = null,
): Promise<number> {
  const sums = await ReleaseModel.aggregate<{ files: number }>([
    { $match: filter },
    { $group: { _id: null, files: { $sum: '$fileCount' } } },
  ])
    .hint('account_files')
    .session(session);
  return sums[0]?.files ?? 0;
}
