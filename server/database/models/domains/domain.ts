import mongoose, { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { platformIdSchema } from '../../../../routers/schemas/platforms/index.ts';
import { domainStateSchema } from '../../../../routers/schemas/states.ts';
import { accountScope } from '../account-scope.ts';
import { errorDocSchema } from '../publishing/destination.ts';

/** A requested record, with the answers seen at the last check. */
const seenRecordDocSchema = new Schema(
  {
    type: { type: String, required: true },
    name: { type: String, required: true },
    value: { type: String, required: true },
    ttl: { type: Number, required: true },
    purpose: { type: String, required: true },
    required: { type: Boolean, required: true },
    alternativeGroup: { type: String, default: null },
    state: { type: String, required: true },
    /** Answers in the shape of routers/schemas/domains.ts. */
    seen: { type: [Schema.Types.Mixed], required: true },
  },
  { _id: false, minimize: false },
);

const platform = { type: String, enum: platformIdSchema.options, required: true };

/**
 * The platform that serves the names from now on, with its answers. It is written before the platform gets the names.
 */
const attachedDocSchema = new Schema(
  {
    destinationId: { type: String, required: true },
    platform,
    /** Records that the platform asks for; empty before its first answer. */
    records: { type: [Schema.Types.Mixed], required: true },
    /** Steps that the platform leaves to the person. */
    steps: { type: [{ text: { type: String, required: true }, url: { type: String } }], required: true, _id: false },
    /** The time at which the platform accepted the names; null while unknown. */
    toldAt: { type: Date, default: null },
    /** One process tells the platform the names until then, and no other does meanwhile. */
    tellingUntil: { type: Date, default: null },
    /** The time of the last question to the platform, answered or not. */
    askedAt: { type: Date, default: null },
    /** The platform's answer about each name that it was told (server/domains/ask-platform.ts). */
    answers: { type: [Schema.Types.Mixed], required: true },
    /** Explains why the platform refused the names, or why it does not answer. */
    error: { type: errorDocSchema, default: null },
  },
  { _id: false, minimize: false },
);

/** A destination that served the names before this one. */
const leavingDocSchema = new Schema(
  {
    deploymentId: { type: String, required: true },
    destinationId: { type: String, required: true },
    platform,
    /** Names whose records led there. It serves them until all of their records lead to the new destination. */
    names: { type: [{ type: String, required: true }], required: true },
    /**
     * True when the detaching has begun already, because the new destination is at the same platform, which gives a
     * name to one site at a time.
     */
    isEnding: { type: Boolean, required: true },
  },
  { _id: false },
);

/** A host name, with its counterpart (with or without `www`), that an account claims for one of its deployments. */
const domainDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    /** The name that was added, in ASCII. */
    name: { type: String, required: true },
    counterpart: { type: String, default: null },
    /** The shorter of the two names. An account claims each unit once. */
    unit: { type: String, required: true },
    /** The name that serves the site; the other one redirects to it. */
    servedName: { type: String, required: true },
    state: { type: String, enum: domainStateSchema.options, required: true, default: 'unverified' as const },
    /** Both names once they are proved, empty before. Only one account can hold a name. */
    heldNames: { type: [{ type: String, required: true }], required: true },
    proof: {
      type: { name: { type: String, required: true }, value: { type: String, required: true } },
      required: true,
      _id: false,
    },
    provedAt: { type: Date, default: null },
    /** Names whose records led to the deployment at the last check. */
    pointedNames: { type: [{ type: String, required: true }], required: true },
    /**
     * Names that led to the deployment while the domain was active. If one stops to lead there, somebody else has
     * changed it.
     */
    watchedNames: { type: [{ type: String, required: true }], required: true },
    /** Records that were correct while the domain was active, as `A example.com 192.0.2.1`. */
    rightRecords: { type: [{ type: String, required: true }], required: true },
    records: { type: [seenRecordDocSchema], required: true },
    /** The apex of the zone that the records stand in, as last seen; null before. */
    zone: { type: String, default: null },
    /** Name servers of the zone when it last led to the deployment. */
    nameServers: { type: [{ type: String, required: true }], required: true },
    /**
     * The DNS connection that holds the zone, among those that were asked; names in the zone get a certificate before
     * they point here.
     */
    zoneHolder: {
      type: {
        connectionId: { type: String, default: null },
        asked: { type: [{ type: String, required: true }], required: true },
        askAgainAt: { type: Date, required: true },
      },
      default: null,
      _id: false,
    },
    /** Null on the built-in host. */
    attached: { type: attachedDocSchema, default: null },
    leaving: { type: [leavingDocSchema], required: true },
    problem: {
      type: {
        code: { type: String, required: true },
        message: { type: String, required: true },
        hint: { type: String, default: null },
        since: { type: Date, required: true },
      },
      default: null,
      _id: false,
    },
    /** The current concern about an active domain (server/domains/records/concern.ts). */
    concern: {
      type: {
        code: { type: String, required: true },
        since: { type: Date, required: true },
        /** The time at which the owner was notified. */
        toldAt: { type: Date, default: null },
      },
      default: null,
      _id: false,
    },
    /** CAA records excluded an authority that signs for the names, when they were last read. */
    isForbiddenByCaa: { type: Boolean, default: false },
    /** The certificate from here that visitors got last, and the time of the next check. */
    watchedCertificate: {
      type: {
        serial: { type: String, default: null },
        seenAt: { type: Date, default: null },
        lookAt: { type: Date, required: true },
      },
      default: null,
      _id: false,
    },
    activeSince: { type: Date, default: null },
    /** When something happened to it that its owner is shown: lists begin with the latest. */
    changedAt: { type: Date, required: true, default: () => mongoose.now() },
    checkedAt: { type: Date, default: null },
    /** The time of the next automatic check. */
    nextCheckAt: { type: Date, required: true },
    /** Checks follow quickly from this time on, because the domain was added or a person has changed something. */
    quickFrom: { type: Date, required: true },
    /** The time of the next check whether its names have their certificate; null before the first one. */
    ensureAt: { type: Date, default: null },
    /** The claim ends at this time, unless it is proved. */
    expiresAt: { type: Date, default: null },
    /**
     * The time at which the person chose this domain as one that may be changed, on a plan that allows the deployment
     * fewer.
     */
    chosenAt: { type: Date, default: null },
    /** The number of domains that the plan allowed then, or a larger one that it allowed within the same month. */
    chosenLimit: { type: Number, default: null },
    /** The time at which another account proved the name. */
    lostAt: { type: Date, default: null },
    /** The time of the latest mail of each kind to the owner. */
    mailedAt: {
      'domain-misconfigured': { type: Date },
      'domain-problem': { type: Date },
      'domain-lost': { type: Date },
    },
  },
  { timestamps: true, collection: 'domains', minimize: false },
);
// One account holds a name. Domains that are not proved hold none and are not in the index.
domainDocSchema.index(
  { heldNames: 1 },
  { name: 'held_name_unique', unique: true, partialFilterExpression: { heldNames: { $gt: '' } } },
);
domainDocSchema.index({ accountId: 1, unit: 1 }, { name: 'account_unit_unique', unique: true });
domainDocSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
domainDocSchema.index({ accountId: 1, changedAt: -1, _id: -1, state: 1 }, { name: 'account_latest' });
domainDocSchema.index({ accountId: 1, deploymentId: 1, changedAt: -1, _id: -1 }, { name: 'account_deployment' });
// Finds domains that are due for a check.
domainDocSchema.index({ nextCheckAt: 1, _id: 1 }, { name: 'due' });
// Finds domains whose certificate is due for a check.
domainDocSchema.index({ ensureAt: 1 }, { name: 'to_ensure', partialFilterExpression: { heldNames: { $gt: '' } } });
domainDocSchema.plugin(accountScope);

/** The stored shape, for reads that change nothing. */
export type DomainRow = InferSchemaType<typeof domainDocSchema> & { createdAt: Date };
export type DomainDoc = HydratedDocument<DomainRow>;
export const DomainModel = model('Domain', domainDocSchema);

/** A destination that had the names before, as plain data. */
export type FormerDestination = {
  deploymentId: string;
  destinationId: string;
  platform: PlatformId;
  names: readonly string[];
  isEnding: boolean;
};

/** Returns the names of the unit. */
export function namesOf({ name, counterpart }: Pick<DomainRow, 'name' | 'counterpart'>): string[] {
  return counterpart === null || counterpart === undefined ? [name] : [name, counterpart];
}
