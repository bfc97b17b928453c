import * as z from 'zod/mini';
import { DOMAIN_TEXT_MAX, domainNameIn } from './domain-name.ts';
import { platformIdSchema } from './platforms/index.ts';
import { cursorSchema, idSchema, pageSizeSchema } from './primitives.ts';
import { domainStateSchema } from './states.ts';

const NOT_A_NAME = 'Type a domain name like example.com';

/** Takes what a person types or pastes, a whole address as well, and gives the name in ASCII. */
const domainNameSchema = z.pipe(
  z.string().check(
    z.maxLength(DOMAIN_TEXT_MAX, 'This is too long to be a domain name'),
    z.refine((text) => domainNameIn(text) !== null, NOT_A_NAME),
  ),
  z.transform((text) => domainNameIn(text) ?? ''),
);
/** The same of a field that may be left empty, and is '' then. */
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
    /** Those alone that wait for a record, or no longer have one. */
    needsCare: z.optional(z.literal(true)),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const getDomainInput = z.strictObject({ domainId: idSchema });
export const checkDomainInput = z.strictObject({ domainId: idSchema });
export const updateDomainInput = z.strictObject({
  domainId: idSchema,
  /** Which of the two names serves; the other redirects to it. */
  servedName: z.optional(domainNameSchema),
  /** Moves the name to another deployment of the account, without a request that fails. */
  deploymentId: z.optional(idSchema),
});
export const removeDomainInput = z.strictObject({ domainId: idSchema });
export const lastPlanInput = z.strictObject({ domainId: idSchema });
export const planDomainInput = z.strictObject({
  domainId: idSchema,
  /** The DNS connection that writes; without it, the one whose zone holds the name. */
  connectionId: z.optional(idSchema),
});
export const applyPlanInput = z.strictObject({ planId: idSchema });
export const undoPlanInput = z.strictObject({ planId: idSchema });

export const domainNameCheckSchema = z.strictObject({
  name: z.string(),
  counterpart: z.nullable(z.string()),
  /** Why it cannot be added, in a sentence for a person; null where nothing is known against it. */
  problem: z.nullable(z.string()),
});

/** `partly`: some name servers have it and others not yet. */
export const recordStateSchema = z.enum(['ok', 'missing', 'wrong', 'partly']);
const recordTypeSchema = z.enum(['A', 'AAAA', 'ALIAS', 'CNAME', 'TXT', 'CAA']);

/** What one name server or resolver answered; `values` is null when it gave no usable answer, and `error` says why. */
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
  /** Nothing works without it; of a group, without all of one type in it. */
  required: z.boolean(),
  /** Records of one group stand in for one another: make all of one type. */
  alternativeGroup: z.nullable(z.string()),
  state: recordStateSchema,
  seen: z.array(seenSchema),
});

/** What stands in the way or was changed by another hand, for a person. */
const domainProblemSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.nullable(z.string()),
  /** When it was seen first. */
  since: z.date(),
});

/** `waiting` asks nothing of the platform; `problem` does not pass by itself. */
const platformAnswerSchema = z.strictObject({
  state: z.enum(['ok', 'waiting', 'problem']),
  code: z.string(),
  text: z.string(),
});

/** What the platform that serves the names says of them. */
const atPlatformSchema = z.strictObject({
  platform: platformIdSchema,
  answers: z.array(
    z.strictObject({
      name: z.string(),
      ownership: platformAnswerSchema,
      dns: platformAnswerSchema,
      /** `expiresAt` is null until there is one, and where the platform does not tell. */
      certificate: z.extend(platformAnswerSchema, { expiresAt: z.nullable(z.date()) }),
    }),
  ),
  /** What is left to the person there. */
  steps: z.array(z.strictObject({ text: z.string(), url: z.optional(z.string()) })),
  askedAt: z.nullable(z.date()),
});

export const domainSchema = z.strictObject({
  id: idSchema,
  deploymentId: idSchema,
  /** As it was added, in ASCII. */
  name: z.string(),
  /** `www` of a registrable domain, or the domain below its `www`: both belong to the one unit. */
  counterpart: z.nullable(z.string()),
  /** The one of the two that serves; the other redirects to it. */
  servedName: z.string(),
  url: z.string(),
  state: domainStateSchema,
  proof: z.strictObject({ type: z.literal('TXT'), name: z.string(), value: z.string() }),
  records: z.array(domainRecordSchema),
  /** Names whose records lead to the deployment, as last seen. */
  pointedNames: z.array(z.string()),
  problem: z.nullable(domainProblemSchema),
  /** Null on the built-in host, which has certificates of its own (`certificates.list`). */
  atPlatform: z.nullable(atPlatformSchema),
  provedAt: z.nullable(z.date()),
  activeSince: z.nullable(z.date()),
  checkedAt: z.nullable(z.date()),
  /** When it is looked at again by itself. */
  nextCheckAt: z.nullable(z.date()),
  /** An unproved claim ends then by itself. */
  expiresAt: z.nullable(z.date()),
  createdAt: z.date(),
  /** The claim was lost: the proof of another account was seen in the DNS of this name. */
  lostTo: z.optional(z.literal('another account')),
  /** The plan allows its deployment fewer, and this is not among them: it stays live and is read-only. */
  isOverCap: z.optional(z.literal(true)),
  /** Of one beyond the cap: whether the person may still say which they are. */
  mayBeChosen: z.optional(z.boolean()),
});
export const domainListSchema = z.strictObject({
  items: z.array(domainSchema),
  nextCursor: z.nullable(z.string()),
});

/** Records that lead to Fairlead or a platform: delete them first, since whoever comes next could take the name there. */
export const removedDomainSchema = z.strictObject({
  done: z.literal(true),
  deleteFirst: z.array(z.strictObject({ type: z.string(), name: z.string(), value: z.string() })),
});

/** Where the domain's DNS provider sets its records up by a link, once the person agrees there. */
export const setupOfferSchema = z.nullable(
  z.strictObject({
    providerName: z.string(),
    url: z.string(),
    records: z.array(z.strictObject({ type: z.string(), name: z.string(), value: z.string() })),
  }),
);

const setSchema = z.nullable(z.strictObject({ ttl: z.number(), values: z.array(z.string()) }));
/**
 * `applying` and `undoing` go on by themselves, also after a crash; a plan that could not be put back is `applied` again,
 * with the reason in `error`.
 */
export const recordPlanStateSchema = z.enum(['planned', 'applying', 'applied', 'failed', 'undoing', 'undone']);
export const recordPlanSchema = z.strictObject({
  planId: idSchema,
  /** The connection that writes it. */
  connectionId: idSchema,
  zone: z.string(),
  state: recordPlanStateSchema,
  /** Why it was not written, or not put back; while that goes on: what it waits for. */
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
export type RecordState = z.infer<typeof recordStateSchema>;
export type CheckedRecord = z.infer<typeof domainRecordSchema>;
export type Domain = z.infer<typeof domainSchema>;
export type DomainList = z.infer<typeof domainListSchema>;
export type RemovedDomain = z.infer<typeof removedDomainSchema>;
export type SetupOffer = NonNullable<z.infer<typeof setupOfferSchema>>;
export type RecordPlan = z.infer<typeof recordPlanSchema>;
