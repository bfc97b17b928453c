import mongoose, { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { certificateStateSchema, rehearsalCheckSchema } from '../../../routers/schemas/certificates.ts';
import { accountScope } from './account-scope.ts';

/** What is served: replaced as a whole, and only by one that can be served. */
const issuedDocSchema = new Schema(
  {
    names: { type: [{ type: String, required: true }], required: true },
    chain: { type: String, required: true },
    /** Sealed for this document and field. */
    key: { type: String, required: true },
    serial: { type: String, required: true },
    issuer: { type: String, required: true },
    notBefore: { type: Date, required: true },
    notAfter: { type: Date, required: true },
    /** When it came, which its authority may date back. */
    signedAt: { type: Date, default: null },
    authorityId: { type: String, required: true },
    /** From 0 to 1: where in a span of time it is renewed, so that not all are at once. */
    chosen: { type: Number, required: true },
    /** What its authority suggests (RFC 9773). */
    suggested: { type: { start: { type: Date, required: true }, end: { type: Date, required: true } }, default: null },
    explanationUrl: { type: String, default: null },
  },
  { _id: false },
);

/** Written before each step at the authority, so that whoever goes on after a crash takes the same step again. */
const orderDocSchema = new Schema(
  {
    names: { type: [{ type: String, required: true }], required: true },
    /** Sealed. */
    key: { type: String, required: true },
    authorityId: { type: String, required: true },
    /** Null until the authority has said where the order is. */
    url: { type: String, default: null },
    /** How its names are proved. */
    challenge: {
      type: String,
      enum: ['http-01', 'dns-01', 'dns-persist-01'] as const,
      required: true,
      default: 'http-01' as const,
    },
    startedAt: { type: Date, required: true },
  },
  { _id: false },
);

const problemDocSchema = new Schema(
  {
    type: { type: String, required: true },
    message: { type: String, required: true },
    detail: { type: String, default: null },
    link: { type: String, default: null },
    at: { type: Date, required: true },
  },
  { _id: false },
);

const rehearsalDocSchema = new Schema(
  {
    at: { type: Date, required: true },
    checks: {
      type: [
        new Schema(
          {
            id: { type: String, enum: rehearsalCheckSchema.shape.id.options, required: true },
            verdict: { type: String, enum: rehearsalCheckSchema.shape.verdict.options, required: true },
            message: { type: String, required: true },
          },
          { _id: false, id: false },
        ),
      ],
      required: true,
    },
  },
  { _id: false },
);

const historyDocSchema = new Schema(
  {
    at: { type: Date, required: true },
    what: { type: String, required: true },
    detail: { type: String, default: null },
  },
  { _id: false },
);

/** The certificate of a domain's names, or of their wildcard: one document through all its renewals. */
const certificateDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    domainId: { type: String, required: true },
    isWildcard: { type: Boolean, required: true, default: false },
    /** Those that are asked for, sorted; `issued` may still cover others. */
    names: { type: [{ type: String, required: true }], required: true },
    state: { type: String, enum: certificateStateSchema.options, required: true, default: 'pending' as const },
    issued: { type: issuedDocSchema, default: null },
    order: { type: orderDocSchema, default: null },
    problem: { type: problemDocSchema, default: null },
    /** Failures in a row. */
    failures: { type: Number, required: true, default: 0 },
    /** Null while nothing waits. */
    nextTryAt: { type: Date, default: null },
    /** A person wants a new one, whatever the lifetime of the old. */
    isWanted: { type: Boolean, required: true, default: false },
    renewAt: { type: Date, default: null },
    /** When its authority is asked about its renewal again. */
    askAt: { type: Date, default: null },
    /** What its owner was told of since it was last all right: each cause once, however often it is tried again. */
    notifiedCauses: { type: [{ type: String, required: true }], required: true },
    rehearsal: { type: rehearsalDocSchema, default: null },
    /** When a rehearsal has last seen its challenge pass: from here it can be seen. */
    reachedAt: { type: Date, default: null },
    /** When its renewal is tried ahead again. */
    rehearseAt: { type: Date, default: null },
    /** When it is looked at again whether its domain is there; null before the first time. */
    ensureAt: { type: Date, default: null },
    /** Of one that the app's own authority has signed: when it is looked at again whether a public one can. */
    publicLookAt: { type: Date, default: null },
    history: { type: [historyDocSchema], required: true },
    /** When its state changed: lists begin with the latest. */
    changedAt: { type: Date, required: true, default: () => mongoose.now() },
  },
  { timestamps: true, collection: 'certificates' },
);
certificateDocSchema.index({ domainId: 1, isWildcard: 1 }, { name: 'domain_kind_unique', unique: true });
certificateDocSchema.index({ accountId: 1, changedAt: -1, _id: -1 }, { name: 'account_latest' });
// What an account has to look at: what it was told of, and what is not renewed though its time has come.
certificateDocSchema.index(
  { accountId: 1, notifiedCauses: 1 },
  { name: 'account_notified', partialFilterExpression: { notifiedCauses: { $gt: '' } } },
);
certificateDocSchema.index({ accountId: 1, renewAt: 1 }, { name: 'account_due' });
// What is due to be renewed, and to be asked about.
certificateDocSchema.index({ renewAt: 1 }, { name: 'due' });
certificateDocSchema.index({ askAt: 1 }, { name: 'to_ask' });
certificateDocSchema.index({ rehearseAt: 1 }, { name: 'to_rehearse' });
certificateDocSchema.index({ accountId: 1, rehearseAt: 1 }, { name: 'account_to_rehearse' });
certificateDocSchema.index({ ensureAt: 1 }, { name: 'to_ensure' });
// `LOCAL_AUTHORITY` of server/certificates/authority.ts.
certificateDocSchema.index(
  { 'issued.authorityId': 1, publicLookAt: 1 },
  { name: 'to_order_publicly', partialFilterExpression: { 'issued.authorityId': 'local' } },
);
// What the host serves, and what has run out.
certificateDocSchema.index({ 'issued.notAfter': 1 }, { name: 'end' });
certificateDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type CertificateRow = InferSchemaType<typeof certificateDocSchema> & { createdAt: Date };
export type CertificateDoc = HydratedDocument<CertificateRow>;
export const CertificateModel = model('Certificate', certificateDocSchema);
