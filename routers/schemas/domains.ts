import * as z from 'zod/mini';
import { DOMAIN_TEXT_MAX, domainNameIn } from './domain-name.ts';
import { platformIdSchema } from './platforms/index.ts';
import { cursorSchema, idSchema, pageSizeSchema } from './primitives.ts';
import { domainStateSchema } from './states.ts';

const NOT_A_NAME = 'Type a domain name like example.com';

/** Accepts a typed or pasted text, even a whole address, and returns the name in ASCII. */
const domainNameSchema = z.pipe(
  z.string().check(
    z.maxLength(DOMAIN_TEXT_MAX, 'This is too long to be a domain name'),
    z.refine((text) => domainNameIn(text) !== null, NOT_A_NAME),
  ),
  z.transform((text) => domainNameIn(text) ?? ''),
);
/** Does the same for an optional field, which is '' when empty. */
export const optionalDomainNameSchema = z.pipe(
  z.string().check(
    z.maxLength(DOMAIN_TEXT_MAX, 'This is too long to be a domain name'),
    z.refine((text) => text.trim() === '' || domainNameIn(text) !== null, NOT_A_NAME),
  ),
  z.transform((text) => domainNameIn(text) ?? ''),
);

export const checkDomainNameInput = z.strictObject({ name: domainNameSchema });
export const addDomainInput = z.strictObject({ deploymentId: idSchema, name: domainNameSchema });
export const listDomainsInput = z.optional(
  z.strictObject({
    deploymentId: z.optional(idSchema),
    state: z.optional(domainStateSchema),
    /** Limits the list to domains that wait for a record, or no longer have one. */
    needsCare: z.optional(z.literal(true)),
    /** Limits it to those of them that are past their set-up: broken since, or proved by another account. */
    isBroken: z.optional(z.literal(true)),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const getDomainInput = z.strictObject({ domainId: idSchema });
export const checkDomainInput = z.strictObject({ domainId: idSchema });
export const updateDomainInput = z.strictObject({
  domainId: idSchema,
  /** The one of the two names that serves; the other redirects to it. */
  servedName: z.optional(domainNameSchema),
  /** Moves the name to another deployment of the account, without a failed request. */
  deploymentId: z.optional(idSchema),
});
export const removeDomainInput = z.strictObject({
  domainId: idSchema,
  /** Deletes the records first that Fairlead has written through a connection and that are still as written. */
  deletesRecords: z.optional(z.boolean()),
});
export const lastPlanInput = z.strictObject({ domainId: idSchema });
export const planDomainInput = z.strictObject({
  domainId: idSchema,
  /** The DNS connection to write through; without it, the one whose zone holds the name. */
  connectionId: z.optional(idSchema),
});
/** A plan has a handful of names; the longest has 253 characters. */
const leftNamesSchema = z.array(z.string().check(z.maxLength(253))).check(z.maxLength(50));
export const applyPlanInput = z.strictObject({
  planId: idSchema,
  /** The names whose changes are left out; only of a plan that is not begun. */
  leave: z.optional(leftNamesSchema),
});
export const undoPlanInput = z.strictObject({ planId: idSchema });

export const domainNameCheckSchema = z.strictObject({
  name: z.string(),
  counterpart: z.nullable(z.string()),
  /** The reason why it cannot be added, in a sentence for a person; null when none is known. */
  problem: z.nullable(z.string()),
});

/** `partly`: some name servers have it and others not yet. */
export const recordStateSchema = z.enum(['ok', 'missing', 'wrong', 'partly']);
const recordTypeSchema = z.enum(['A', 'AAAA', 'ALIAS', 'CNAME', 'TXT', 'CAA']);

/** The answer of one name server or resolver; `values` is null when it was unusable, for the reason in `error`. */
const seenSchema = z.strictObject({
  server: z.string(),
  address: z.string(),
  /** Name servers decide; resolvers show what the world still sees, for as long as `ttl` says. */
  isAuthority: z.boolean(),
  values: z.nullable(z.array(z.string())),
  ttl: z.nullable(z.number()),
  error: z.nullable(z.string()),
});
export const domainRecordSchema = z.strictObject({
  type: recordTypeSchema,
  name: z.string(),
  value: z.string(),
  ttl: z.number(),
  purpose: z.enum(['route', 'proof', 'certificate']),
  /** The domain does not work without it; in a group, without all of one type. */
  required: z.boolean(),
  /** Records of one group are alternatives: make all of one type. */
  alternativeGroup: z.nullable(z.string()),
  state: recordStateSchema,
  seen: z.array(seenSchema),
});

/** The obstacle, or the change by somebody else, for a person. */
const domainProblemSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.nullable(z.string()),
  /** The time when it was first seen. */
  since: z.date(),
});

/** `waiting` asks nothing of the platform; `problem` does not pass by itself. */
const platformAnswerSchema = z.strictObject({
  state: z.enum(['ok', 'waiting', 'problem']),
  code: z.string(),
  text: z.string(),
});

/** The answer of the platform that serves the names. */
const atPlatformSchema = z.strictObject({
  platform: platformIdSchema,
  answers: z.array(
    z.strictObject({
      name: z.string(),
      ownership: platformAnswerSchema,
      dns: platformAnswerSchema,
      /** `expiresAt` is null until there is one, and when the platform does not reveal it. */
      certificate: z.extend(platformAnswerSchema, { expiresAt: z.nullable(z.date()) }),
    }),
  ),
  /** The steps for the person there. */
  steps: z.array(z.strictObject({ text: z.string(), url: z.optional(z.string()) })),
  askedAt: z.nullable(z.date()),
});

export const domainSchema = z.strictObject({
  id: idSchema,
  deploymentId: idSchema,
  /** The name as it was added, in ASCII. */
  name: z.string(),
  /** The name as people write it, for one with other letters than ASCII has (RFC 5890). */
  unicodeName: z.optional(z.string()),
  /** The `www` of a registrable domain, or the domain below its `www`: both belong to one unit. */
  counterpart: z.nullable(z.string()),
  /** The one of the two names that serves; the other redirects to it. */
  servedName: z.string(),
  url: z.string(),
  state: domainStateSchema,
  proof: z.strictObject({ type: z.literal('TXT'), name: z.string(), value: z.string() }),
  /** The zone that the records stand in, once it was seen; it may lie above the domain. */
  zone: z.optional(z.string()),
  records: z.array(domainRecordSchema),
  /** Names whose records point to the deployment, as last seen. */
  pointedNames: z.array(z.string()),
  problem: z.nullable(domainProblemSchema),
  /** Null on the built-in host, which has certificates of its own (`certificates.list`). */
  atPlatform: z.nullable(atPlatformSchema),
  provedAt: z.nullable(z.date()),
  activeSince: z.nullable(z.date()),
  checkedAt: z.nullable(z.date()),
  /** The time of the next automatic check. */
  nextCheckAt: z.nullable(z.date()),
  /** The time when an unproved claim ends. */
  expiresAt: z.nullable(z.date()),
  createdAt: z.date(),
  /**
   * When its state changed, it was moved or lost, its owner was notified of a problem, or a plan of its records ended or
   * failed. What was found before is about what was then.
   */
  changedAt: z.date(),
  /** Another account took the name: its proof was seen in the DNS of this name. */
  lostTo: z.optional(z.literal('another account')),
  /** True when the plan allows its deployment fewer, and this is not among them: it stays live and is read-only. */
  isOverCap: z.optional(z.literal(true)),
  /** For a domain beyond the cap: true while the person may still choose. */
  mayBeChosen: z.optional(z.boolean()),
});
export const domainListSchema = z.strictObject({
  items: z.array(domainSchema),
  nextCursor: z.nullable(z.string()),
});

const leftRecordSchema = z.strictObject({ type: z.string(), name: z.string(), value: z.string() });
export const removedDomainSchema = z.strictObject({
  done: z.literal(true),
  /**
   * Records that point to Fairlead or a platform: the person should delete them, since a stranger could take the name
   * there.
   */
  deleteFirst: z.array(leftRecordSchema),
  /** CAA records that a plan has written: they harm nobody, and other names may need them. */
  stays: z.array(leftRecordSchema),
});

/** The link with which the domain's DNS provider sets its records up, once the person agrees there. */
export const setupOfferSchema = z.nullable(
  z.strictObject({
    providerName: z.string(),
    url: z.string(),
    records: z.array(z.strictObject({ type: z.string(), name: z.string(), value: z.string() })),
  }),
);

const setSchema = z.nullable(z.strictObject({ ttl: z.number(), values: z.array(z.string()) }));
/**
 * `applying` and `undoing` continue automatically, also after a crash; a plan that could not be undone is `applied`
 * again, with the reason in `error`.
 */
export const recordPlanStateSchema = z.enum(['planned', 'applying', 'applied', 'failed', 'undoing', 'undone']);
export const recordPlanSchema = z.strictObject({
  planId: idSchema,
  /** The connection that writes it. */
  connectionId: idSchema,
  zone: z.string(),
  state: recordPlanStateSchema,
  /** The reason why it was not written or undone; while it is being tried again, the obstacle. */
  error: z.nullable(z.strictObject({ message: z.string(), hint: z.nullable(z.string()) })),
  changes: z.array(
    z.strictObject({
      action: z.enum(['add', 'replace', 'remove', 'leave']),
      type: z.string(),
      name: z.string(),
      before: setSchema,
      after: setSchema,
    }),
  ),
  conflicts: z.array(z.strictObject({ code: z.string(), message: z.string() })),
  /** The time when its state changed last. */
  changedAt: z.date(),
});
export const lastPlanSchema = z.nullable(recordPlanSchema);

/** No plan with a cap allows more. */
const WRITABLE_MAX = 20;

export const chooseWritableDomainsInput = z.strictObject({
  deploymentId: idSchema,
  domainIds: z.array(idSchema).check(z.minLength(1), z.maxLength(WRITABLE_MAX)),
});

export type ChooseWritableDomainsInput = z.infer<typeof chooseWritableDomainsInput>;
export type CheckDomainNameInput = z.infer<typeof checkDomainNameInput>;
export type DomainNameCheck = z.infer<typeof domainNameCheckSchema>;
export type AddDomainInput = z.infer<typeof addDomainInput>;
export type ListDomainsInput = z.infer<typeof listDomainsInput>;
export type GetDomainInput = z.infer<typeof getDomainInput>;
export type UpdateDomainInput = z.infer<typeof updateDomainInput>;
export type RemoveDomainInput = z.infer<typeof removeDomainInput>;
export type LastPlanInput = z.infer<typeof lastPlanInput>;
export type PlanDomainInput = z.infer<typeof planDomainInput>;
export type ApplyPlanInput = z.infer<typeof applyPlanInput>;
export type UndoPlanInput = z.infer<typeof undoPlanInput>;
export type RecordState = z.infer<typeof recordStateSchema>;
export type CheckedRecord = z.infer<typeof domainRecordSchema>;
export type Domain = z.infer<typeof domainSchema>;
export type DomainList = z.infer<typeof domainListSchema>;
export type RemovedDomain = z.infer<typeof removedDomainSchema>;
export type SetupOffer = NonNullable<z.infer<typeof setupOfferSchema>>;
export type RecordPlan = z.infer<typeof recordPlanSchema>;
