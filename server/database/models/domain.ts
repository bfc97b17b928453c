import mongoose, { type HydratedDocument, type InferSchemaType, model, Schema } from 'mongoose';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { platformIdSchema } from '../../../routers/schemas/platforms/index.ts';
import { domainStateSchema } from '../../../routers/schemas/states.ts';
import { accountScope } from './account-scope.ts';
import { errorDocSchema } from './destination.ts';

/** A record that is asked for, with what was seen of it at the last look. */
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
    /** Answers as routers/schemas/domains.ts shows them. */
    seen: { type: [Schema.Types.Mixed], required: true },
  },
  { _id: false, minimize: false },
);

const platform = { type: String, enum: platformIdSchema.options, required: true };

/** The platform that serves the names from now on, with what it answered. Written before it is told of them. */
const attachedDocSchema = new Schema(
  {
    destinationId: { type: String, required: true },
    platform,
    /** What it asks for; empty before it has answered. */
    records: { type: [Schema.Types.Mixed], required: true },
    /** What it leaves to the person. */
    steps: { type: [{ text: { type: String, required: true }, url: { type: String } }], required: true, _id: false },
    /** When it took the names; null while that is not known. */
    toldAt: { type: Date, default: null },
    /** Somebody is telling it until then, and nobody else meanwhile. */
    tellingUntil: { type: Date, default: null },
    /** When it was asked last, also where it gave no answer. */
    askedAt: { type: Date, default: null },
    /** Its word on each name that it was told of (server/services/domains/ask-platform.ts). */
    answers: { type: [Schema.Types.Mixed], required: true },
    /** Why it did not take the names, or does not answer. */
    error: { type: errorDocSchema, default: null },
  },
  { _id: false, minimize: false },
);

/** A place that had the names before this one. */
const leavingDocSchema = new Schema(
  {
    deploymentId: { type: String, required: true },
    destinationId: { type: String, required: true },
    platform,
    /** The names whose records led there: it serves them until all of these lead to the new place. */
    names: { type: [{ type: String, required: true }], required: true },
    /** It is being told already: the new place is at the same platform, which gives a name to one site at a time. */
    isEnding: { type: Boolean, required: true },
  },
  { _id: false },
);

/** A host name, with its counterpart (`www` or what is below it), that an account claims for one of its deployments. */
const domainDocSchema = new Schema(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    deploymentId: { type: String, required: true },
    /** As it was added, in ASCII. */
    name: { type: String, required: true },
    counterpart: { type: String, default: null },
    /** The shorter of the two: an account claims a unit once. */
    unit: { type: String, required: true },
    /** The one of the two that serves; the other redirects to it. */
    servedName: { type: String, required: true },
    state: { type: String, enum: domainStateSchema.options, required: true, default: 'unverified' as const },
    /** Both names once they are proved: of all accounts, one holds a name. Empty before. */
    heldNames: { type: [{ type: String, required: true }], required: true },
    proof: {
      type: { name: { type: String, required: true }, value: { type: String, required: true } },
      required: true,
      _id: false,
    },
    provedAt: { type: Date, default: null },
    /** Names whose records lead to the deployment, as last seen. */
    pointedNames: { type: [{ type: String, required: true }], required: true },
    /** Those that have led there while it was active: one that does no longer is a change by another hand. */
    watchedNames: { type: [{ type: String, required: true }], required: true },
    /** The records that were right while it was active, as `A example.com 192.0.2.1`. */
    rightRecords: { type: [{ type: String, required: true }], required: true },
    records: { type: [seenRecordDocSchema], required: true },
    /** Those of its zone while it last led to the deployment. */
    nameServers: { type: [{ type: String, required: true }], required: true },
    /** Which DNS connection holds its zone, of those that were asked: its names are certified before they point here. */
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
    /** What is wrong while it is active (server/services/domains/concern.ts). */
    concern: {
      type: {
        code: { type: String, required: true },
        since: { type: Date, required: true },
        /** When its owner was told. */
        toldAt: { type: Date, default: null },
      },
      default: null,
      _id: false,
    },
    /** The certificate of ours that visitors got last, and when they are looked after again. */
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
    /** When it is looked at again by itself. */
    nextCheckAt: { type: Date, required: true },
    /** The looks are quick from here on: it was added, or a person has changed something. */
    quickFrom: { type: Date, required: true },
    /** When it is looked at again whether its names have their certificate; null before the first time. */
    ensureAt: { type: Date, default: null },
    /** Until it is proved. */
    expiresAt: { type: Date, default: null },
    /** When the person chose it among those that can be changed, where the plan allows its deployment fewer. */
    chosenAt: { type: Date, default: null },
    /** How many the plan allowed when it did, or one before it within the month that allowed more. */
    chosenLimit: { type: Number, default: null },
    /** Another account has proved the name. */
    lostAt: { type: Date, default: null },
    /** When the latest mail of each kind went to its owner. */
    mailedAt: {
      'domain-misconfigured': { type: Date },
      'domain-problem': { type: Date },
      'domain-lost': { type: Date },
    },
  },
  { timestamps: true, collection: 'domains', minimize: false },
);
// One account holds a name; those that are not proved hold none, and are not in the index.
domainDocSchema.index(
  { heldNames: 1 },
  { name: 'held_name_unique', unique: true, partialFilterExpression: { heldNames: { $gt: '' } } },
);
domainDocSchema.index({ accountId: 1, unit: 1 }, { name: 'account_unit_unique', unique: true });
domainDocSchema.index({ accountId: 1, createdAt: -1, _id: -1 }, { name: 'account_newest' });
domainDocSchema.index({ accountId: 1, changedAt: -1, _id: -1, state: 1 }, { name: 'account_latest' });
domainDocSchema.index({ accountId: 1, deploymentId: 1, changedAt: -1, _id: -1 }, { name: 'account_deployment' });
// What is due to be looked at.
domainDocSchema.index({ nextCheckAt: 1, _id: 1 }, { name: 'due' });
// What is due to be looked at for its certificate.
domainDocSchema.index({ ensureAt: 1 }, { name: 'to_ensure', partialFilterExpression: { heldNames: { $gt: '' } } });
domainDocSchema.plugin(accountScope);

/** As it is stored, for reads that change nothing. */
export type DomainRow = InferSchemaType<typeof domainDocSchema> & { createdAt: Date };
export type DomainDoc = HydratedDocument<DomainRow>;
export const DomainModel = model('Domain', domainDocSchema);

/** A place that had the names before, as plain data. */
export type FormerPlace = {
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
