import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { accountScope } from '../account-scope.ts';

/** Files on their way in. An upload belongs to the account, so that files can be read before a deployment exists. */
const uploadDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, default: null },
    state: { type: String, enum: ['open', 'used'] as const, required: true, default: 'open' as const },
    manifestHash: { type: String, default: null },
    /** The list of files that can be previewed before it is a release, because all of its files have arrived. */
    previewHash: { type: String, default: null },
    fileCount: { type: Number, required: true, default: 0 },
    totalBytes: { type: Number, required: true, default: 0 },
    /** 0, 1 or 2 while it is open: the unique index makes the limit of open uploads exact. */
    slot: { type: Number, required: true },
    /** Counts the file lists that the account's open uploads were given: of two at once, one conflicts. */
    turn: { type: Number, required: true, default: 0 },
    source: { type: String, enum: ['folder', 'zip'] as const, required: true, default: 'folder' as const },
    /** Each byte that arrives moves it; a day after the last one the upload is deleted. */
    expiresAt: { type: Date, required: true },
  },
  { timestamps: true, collection: 'uploads' },
);
uploadDocSchema.index(
  { accountId: 1, slot: 1 },
  { name: 'open_slots', unique: true, partialFilterExpression: { state: 'open' } },
);
/** Deleting an account looks for all of its uploads, used ones too. */
uploadDocSchema.index({ accountId: 1 }, { name: 'account' });
uploadDocSchema.index({ expiresAt: 1 }, { name: 'kept_a_day', expireAfterSeconds: 0 });
uploadDocSchema.index({ manifestHash: 1 }, { name: 'manifest' });
uploadDocSchema.plugin(accountScope);

export type UploadDoc = HydratedDocument<InferSchemaType<typeof uploadDocSchema>>;
export const UploadModel = model('Upload', uploadDocSchema);

/**
 * Returns how many files the open uploads of all accounts name; a file that several of them share counts once for
 * each.
 */
export async function sumOfOpenUploadFiles(): Promise<number> {
  const sums = await UploadModel.aggregate<{ files: number }>([
    { $match: { state: 'open' } },
    { $group: { _id: null, files: { $sum: '$fileCount' } } },
  ]).hint('open_slots');
  return sums[0]?.files ?? 0;
}
