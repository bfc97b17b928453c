import * as z from 'zod/mini';
import { destinationSchema } from './platforms/destination.ts';
import { platformIdSchema } from './platforms/index.ts';
import { platformOptionsSchema } from './platforms/options.ts';
import { cursorSchema, idSchema, nameCanBeShown, pageSizeSchema, withoutControlCharacters } from './primitives.ts';
import { DEPLOYMENT_NAME_MAX, NAME_TOO_LONG, SLUG_MAX } from './slug.ts';
import { deploymentStateSchema, listedDeploymentStateSchema, releaseStateSchema } from './states.ts';

export { cutSlug, DEPLOYMENT_NAME_MAX, SLUG_MAX, slugFromName } from './slug.ts';

const deploymentNameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Give the deployment a name'),
    z.maxLength(DEPLOYMENT_NAME_MAX, NAME_TOO_LONG),
    nameCanBeShown,
  );

/** Names that people expect to belong to the app or its operator; a site at one of them could pass for it. */
export const RESERVED_SLUGS: readonly string[] = [
  'app',
  'api',
  'www',
  'admin',
  'mail',
  'static',
  'assets',
  'status',
  'help',
  'fairlead',
  'localhost',
];
export const slugSchema = z.string().check(
  z.minLength(1, 'Write an address'),
  z.maxLength(SLUG_MAX, 'The address is longer than 50 characters'),
  z.regex(/^[a-z0-9-]*$/, 'Use lowercase letters, digits and hyphens only'),
  z.regex(/^(?!-).*(?<!-)$/, 'An address does not start or end with a hyphen'),
  z.refine((slug) => !slug.includes('--'), 'An address has no two hyphens in a row'),
  z.refine((slug) => !RESERVED_SLUGS.includes(slug), 'This address is reserved'),
);

/** The form says this at the address field as soon as it is known, and the server when it is sent all the same. */
export const slugTakenText = (slug: string): string => `The address "${slug}" is taken.`;

const idempotencyKeySchema = z.string().check(z.minLength(8), z.maxLength(100));

/**
 * How the built-in host reads the addresses of a deployment. Clean addresses are on from the start, as on Netlify and
 * Cloudflare Pages: they only add an address (`/about` for `about.html`) where there would be none.
 */
export const SERVING_DEFAULTS = { isSinglePage: false, hasCleanUrls: true } as const;

export const createDeploymentInput = z.strictObject({
  name: deploymentNameSchema,
  platform: platformIdSchema,
  /** May be left out where there is one connection to the platform. */
  connectionId: z.optional(idSchema),
  /** One of `connections.targets`; without it the account's own. */
  targetId: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  /** Settings of the platform's own, and the consents that it requires, as booleans. */
  options: z.optional(platformOptionsSchema),
  /** Made by the client: the second call with the same key gives the first one's answer, for 24 hours. */
  idempotencyKey: z.optional(idempotencyKeySchema),
});
/** More than a person compares; each of them is a publication of its own with every release. */
export const DESTINATIONS_MAX = 10;

/** Takes the same options as a new deployment. */
export const addDestinationInput = z.strictObject({
  deploymentId: idSchema,
  platform: platformIdSchema,
  connectionId: z.optional(idSchema),
  targetId: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  options: z.optional(platformOptionsSchema),
  /** The deployment is to leave the platform where it is: the one step that plans with one platform at a time have. */
  isMove: z.optional(z.boolean()),
});
const destinationInput = { deploymentId: idSchema, destinationId: idSchema };
export const removeDestinationInput = z.strictObject({
  ...destinationInput,
  /** What is published there stays, and is forgotten here: for an account that cannot be reached any more. */
  leaveSite: z.optional(z.boolean()),
});
export const retryDestinationInput = z.strictObject(destinationInput);
export const makePrimaryInput = z.strictObject(destinationInput);
export const getDeploymentInput = z.strictObject({ deploymentId: idSchema });
export const listDeploymentsInput = z.optional(
  z.strictObject({
    search: z.optional(
      z
        .string()
        .check(
          z.maxLength(DEPLOYMENT_NAME_MAX),
          withoutControlCharacters('A search cannot contain control characters'),
        ),
    ),
    platform: z.optional(platformIdSchema),
    state: z.optional(listedDeploymentStateSchema),
    /**
     * Only those that need their owner: the newest release or a further platform failed, a platform waits, files are
     * damaged, the last check failed, a deletion is refused, or the connection that they are published by is gone.
     */
    needsCare: z.optional(z.literal(true)),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const updateDeploymentInput = z.strictObject({
  deploymentId: idSchema,
  name: z.optional(deploymentNameSchema),
  /** A change of address is an act of its own; the old one is held for 30 days. */
  slug: z.optional(slugSchema),
  /** On the built-in host, a page that does not exist then shows `index.html`. */
  isSinglePage: z.optional(z.boolean()),
  /** On the built-in host: `about.html` also answers at `/about`. */
  hasCleanUrls: z.optional(z.boolean()),
});
/** Of a deployment to come, the name that makes its address; of one that stands, the address that it shall have. */
export const checkAddressInput = z.union([
  z.strictObject({ name: deploymentNameSchema }),
  z.strictObject({ deploymentId: idSchema, slug: slugSchema }),
]);
export const removeDeploymentInput = z.strictObject({
  deploymentId: idSchema,
  /** What is still published at platforms stays there: for one that refuses to take it away. */
  leaveSite: z.optional(z.boolean()),
});
export const rollBackDeploymentInput = z.strictObject({ deploymentId: idSchema, releaseId: idSchema });

export const addressCheckSchema = z.strictObject({
  wanted: z.string(),
  /**
   * The address that it would get now: `wanted` where that is free, else the next one that is. Null where a name has
   * random letters added to it, and for a change to an address that is taken.
   */
  slug: z.nullable(z.string()),
});

/** The part of a release that a deployment's row shows. */
const releaseRefSchema = z.strictObject({
  id: idSchema,
  number: z.number(),
  state: releaseStateSchema,
  createdAt: z.date(),
  finishedAt: z.nullable(z.date()),
  /** Since when it serves, or when it last began to: a roll back begins anew. Null while it was never live. */
  liveSince: z.nullable(z.date()),
  /** Why it failed, in a sentence for a person. */
  errorMessage: z.nullable(z.string()),
  /** Files that cannot be read any more, so that they are not served; the release names them. */
  corruptedFileCount: z.number(),
});

/**
 * Why it cannot be published at a destination until the person acts: the connection that it is published by, or one that
 * its options name, is refused or gone.
 */
const lostConnectionSchema = z.strictObject({
  destinationId: idSchema,
  provider: platformIdSchema,
  /** The one that needs another credential; null where it was removed. */
  connectionId: z.nullable(idSchema),
  message: z.string(),
});

export const deploymentSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  slug: z.string(),
  /** The platform of the primary destination. */
  platform: platformIdSchema,
  state: deploymentStateSchema,
  url: z.string(),
  destinations: z.array(destinationSchema),
  lostConnections: z.array(lostConnectionSchema),
  /** The release that is served; null while none was ever live. */
  currentRelease: z.nullable(releaseRefSchema),
  /** The newest release, or the one that is worked on, whatever became of it. */
  latestRelease: z.nullable(releaseRefSchema),
  releaseCount: z.number(),
  isSinglePage: z.boolean(),
  hasCleanUrls: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
});
/** What stays at a platform of what was deleted, told until the person has read it. */
export const leftSiteSchema = z.strictObject({
  id: idSchema,
  title: z.string(),
  message: z.string(),
  /** Where it is; null where no address is known. */
  url: z.nullable(z.string()),
});
export const leftSitesSchema = z.strictObject({ items: z.array(leftSiteSchema) });
export const dismissLeftSiteInput = z.strictObject({ id: idSchema });

export const deploymentListSchema = z.strictObject({
  items: z.array(deploymentSchema),
  nextCursor: z.nullable(z.string()),
});

export type LeftSite = z.infer<typeof leftSiteSchema>;
export type DismissLeftSiteInput = z.infer<typeof dismissLeftSiteInput>;
export type CreateDeploymentInput = z.infer<typeof createDeploymentInput>;
export type AddDestinationInput = z.infer<typeof addDestinationInput>;
export type RemoveDestinationInput = z.infer<typeof removeDestinationInput>;
export type RetryDestinationInput = z.infer<typeof retryDestinationInput>;
export type MakePrimaryInput = z.infer<typeof makePrimaryInput>;
export type GetDeploymentInput = z.infer<typeof getDeploymentInput>;
export type ListDeploymentsInput = z.infer<typeof listDeploymentsInput>;
export type UpdateDeploymentInput = z.infer<typeof updateDeploymentInput>;
export type CheckAddressInput = z.infer<typeof checkAddressInput>;
export type RemoveDeploymentInput = z.infer<typeof removeDeploymentInput>;
export type RollBackDeploymentInput = z.infer<typeof rollBackDeploymentInput>;
export type AddressCheck = z.infer<typeof addressCheckSchema>;
export type ReleaseRef = z.infer<typeof releaseRefSchema>;
export type LostConnection = z.infer<typeof lostConnectionSchema>;
export type Deployment = z.infer<typeof deploymentSchema>;
export type DeploymentList = z.infer<typeof deploymentListSchema>;
