import { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { CHECK_IDS, reportStateSchema } from '../../../routers/schemas/diagnostics.ts';
import { accountScope } from './account-scope.ts';

/** A report about a name or a deployment: the results of each check. */
const diagnosticDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    /** Reports with the same subject are compared: `name example.com`, `deployment {id}`. */
    subjectKey: { type: String, required: true },
    name: { type: String, required: true },
    deploymentId: { type: String, default: null },
    /** True when the plan included all checks at the start. */
    isWhole: { type: Boolean, required: true },
    state: { type: String, enum: reportStateSchema.options, required: true, default: 'running' as const },
    cause: { type: String, enum: [...CHECK_IDS, null], default: null },
    /** The checks in the shape of routers/schemas/diagnostics.ts, written by server/diagnostics alone. */
    checks: { type: [Schema.Types.Mixed], required: true },
    checkCount: { type: Number, required: true, default: 0 },
    /** Observed facts as `{ what, values }`. */
    facts: { type: [Schema.Types.Mixed], required: true },
    changes: { type: [Schema.Types.Mixed], required: true },
    since: { type: Date, default: null },
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    /** The hash of the token in the link. */
    shareHash: { type: String, default: null },
    sharedUntil: { type: Date, default: null },
  },
  { collection: 'diagnostics', minimize: false },
);
diagnosticDocSchema.index({ accountId: 1, startedAt: -1, _id: -1 }, { name: 'account_newest' });
diagnosticDocSchema.index({ accountId: 1, subjectKey: 1, startedAt: -1 }, { name: 'account_subject' });
diagnosticDocSchema.index(
  { shareHash: 1 },
  { name: 'share_hash_unique', unique: true, partialFilterExpression: { shareHash: { $gt: '' } } },
);
diagnosticDocSchema.plugin(accountScope);

export type DiagnosticRow = InferSchemaType<typeof diagnosticDocSchema>;
export type DiagnosticDoc = HydratedDocument<DiagnosticRow>;
export const DiagnosticModel = model('Diagnostic', diagnosticDocSchema);
