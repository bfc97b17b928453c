import mongoose, { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import { certificateStateSchema, rehearsalCheckSchema } from '../../../../routers/schemas/certificates.ts';
import { accountScope } from '../account-scope.ts';

/** The certificate that is served. It is replaced as a whole, and only by one that can be served. */
const issuedDocSchema = new Schema(
  {
    names: { type: [{ type: String, required: true }], required: true },
    chain: { type: String, required: true },
    /** The private key, sealed for this document and field. */
    key: { type: String, required: true },
    serial: { type: String, required: true },
    issuer: { type: String, required: true },
    notBefore: { type: Date, required: true },
    notAfter: { type: Date, required: true },
    /** The time at which it arrived; the authority may have dated the certificate itself earlier. */
    signedAt: { type: Date, default: null },
    authorityId: { type: String, required: true },
    /**
     * A random number from 0 to 1 that places the renewal within its span of time, so that not all certificates are
     * renewed at once.
     */
    chosen: { type: Number, required: true },
    /** The window for renewal that the authority suggests (RFC 9773). */
    suggested: { type: { start: { type: Date, required: true }, end: { type: Date, required: true } }, default: null },
    explanationUrl: { type: String, default: null },
  },
  { _id: false },
);

/** The order is written before each step at the authority, so that the next run repeats that step after a crash. */
const orderDocSchema = new Schema(
  {
    names: { type: [{ type: String, required: true }], required: true },
    /** Names of the certificate that it is not for, because they were at fault. */
    leftOut: { type: [{ type: String, required: true }], required: true },
    /** The private key, sealed. */
    key: { type: String, required: true },
    authorityId: { type: String, required: true },
    /** Null until the authority has named the order's address. */
    url: { type: String, default: null },
    /** The kind of challenge that proves the names. */
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

/** The certificate of a domain's names, or of their wildcard. One document lasts through all renewals. */
const certificateDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    domainId: { type: String, required: true },
    isWildcard: { type: Boolean, required: true, default: false },
    /** The names to be covered, sorted; `issued` may still cover others. */
    names: { type: [{ type: String, required: true }], required: true },
    state: { type: String, enum: certificateStateSchema.options, required: true, default: 'pending' as const },
    issued: { type: issuedDocSchema, default: null },
    order: { type: orderDocSchema, default: null },
    problem: { type: problemDocSchema, default: null },
    /** Failures in a row. */
    failures: { type: Number, required: true, default: 0 },
    /** Null while nothing waits for another try. */
    nextTryAt: { type: Date, default: null },
    /** True after a person asked for a new certificate, whatever time the old one has left. */
    isWanted: { type: Boolean, required: true, default: false },
    renewAt: { type: Date, default: null },
    /** The time at which the authority is asked again when to renew. */
    askAt: { type: Date, default: null },
    /**
     * Causes of failure that the owner was notified of since the certificate was last in order. Each cause is told
     * once, however often the order is tried.
     */
    notifiedCauses: { type: [{ type: String, required: true }], required: true },
    rehearsal: { type: rehearsalDocSchema, default: null },
    /**
     * The time at which a rehearsal last saw its challenge pass, which proves that this server can see its own
     * answers.
     */
    reachedAt: { type: Date, default: null },
    /** The time of the next rehearsal of the renewal. */
    rehearseAt: { type: Date, default: null },
    /** The time of the next check whether its domain still exists; null before the first one. */
    ensureAt: { type: Date, default: null },
    /** For a certificate of the local authority: the time of the next check whether a public one can be ordered. */
    publicLookAt: { type: Date, default: null },
    history: { type: [historyDocSchema], required: true },
    /** When its state changed: lists begin with the latest. */
    changedAt: { type: Date, required: true, default: () => mongoose.now() },
  },
  { timestamps: true, collection: 'certificates' },
);
certificateDocSchema.index({ domainId: 1, isWildcard: 1 }, { name: 'domain_kind_unique', unique: true });
certificateDocSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
certificateDocSchema.index({ accountId: 1, changedAt: -1, _id: -1 }, { name: 'account_latest' });
// Finds what an account has to act on: certificates it was notified of, and those that are not renewed although they
// are due.
certificateDocSchema.index(
  { accountId: 1, notifiedCauses: 1 },
  { name: 'account_notified', partialFilterExpression: { notifiedCauses: { $gt: '' } } },
);
certificateDocSchema.index({ accountId: 1, renewAt: 1 }, { name: 'account_due' });
// Finds certificates to be renewed, or to be asked about.
certificateDocSchema.index({ renewAt: 1 }, { name: 'due' });
certificateDocSchema.index({ askAt: 1 }, { name: 'to_ask' });
certificateDocSchema.index({ rehearseAt: 1 }, { name: 'to_rehearse' });
certificateDocSchema.index({ accountId: 1, rehearseAt: 1 }, { name: 'account_to_rehearse' });
certificateDocSchema.index({ ensureAt: 1 }, { name: 'to_ensure' });
// Matches `LOCAL_AUTHORITY` in server/domains/certificates/authority/authority.ts.
certificateDocSchema.index(
  { 'issued.authorityId': 1, publicLookAt: 1 },
  { name: 'to_order_publicly', partialFilterExpression: { 'issued.authorityId': 'local' } },
);
// Finds what the host serves, and what has expired.
certificateDocSchema.index({ 'issued.notAfter': 1 }, { name: 'end' });
certificateDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type CertificateRow = InferSchemaType<typeof certificateDocSchema> & { createdAt: Date };
export type CertificateDoc = HydratedDocument<CertificateRow>;
export const CertificateModel = model('Certificate', certificateDocSchema);
