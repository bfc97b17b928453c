import * as z from 'zod/mini';
import { DEPLOYMENT_NAME_MAX, SLUG_MAX } from './limits.ts';
import { destinationSchema } from './platforms/destination.ts';
import { platformIdSchema } from './platforms/index.ts';
import { platformOptionsSchema } from './platforms/options.ts';
import { cursorSchema, idSchema, nameCanBeShown, pageSizeSchema, withoutControlCharacters } from './primitives.ts';
import { NAME_TOO_LONG } from './slug.ts';
import {
  deploymentStateSchema,
  listedDeploymentStateSchema,
  releaseSourceSchema,
  releaseStateSchema,
} from './states.ts';

export { cutSlug, nextNumbered, slugFromName } from './slug.ts';

const deploymentNameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Give the deployment a name'),
    z.maxLength(DEPLOYMENT_NAME_MAX, NAME_TOO_LONG),
    nameCanBeShown,
  );

/** People expect these names to belong to the app or its operator; a site with one of them could pass for it. */
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
  z.minLength(1, 'Enter an address'),
  z.maxLength(SLUG_MAX, `The address is longer than ${SLUG_MAX} characters`),
  z.regex(/^[a-z0-9-]*$/, 'Use lowercase letters, digits and hyphens only'),
  z.regex(/^(?!-).*(?<!-)$/, 'An address cannot start or end with a hyphen'),
  z.refine((slug) => !slug.includes('--'), 'An address cannot have two hyphens in a row'),
  z.refine((slug) => !RESERVED_SLUGS.includes(slug), 'This address is reserved'),
);

/** The form shows this at the address field as soon as it is known, and the server returns it on submission. */
export const slugTakenText = (slug: string): string => `The address "${slug}" is taken.`;

const idempotencyKeySchema = z.string().check(z.minLength(8), z.maxLength(100));

/**
 * Defaults for how the built-in host reads the addresses of a deployment. Clean addresses are on from the start, as on
 * Netlify and Cloudflare Pages: they only add an address (`/about` for `about.html`) where there would be none.
 */
export const SERVING_DEFAULTS = { isSinglePage: false, hasCleanUrls: true } as const;

export const createDeploymentInput = z.strictObject({
  name: deploymentNameSchema,
  platform: platformIdSchema,
  /** Optional when there is one connection to the platform. */
  connectionId: z.optional(idSchema),
  /** One of `connections.targets`; without it the account's own. */
  targetId: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  /** Settings of the platform's own, and the consents that it requires, as booleans. */
  options: z.optional(platformOptionsSchema),
  /** Made by the client: a second call with the same key gets the first one's answer, for 24 hours. */
  idempotencyKey: z.optional(idempotencyKeySchema),
});
/** More than a person compares; each is a further publication of every release. */
export const DESTINATIONS_MAX = 10;

/** Takes the same options as a new deployment. */
export const addDestinationInput = z.strictObject({
  deploymentId: idSchema,
  platform: platformIdSchema,
  connectionId: z.optional(idSchema),
  targetId: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  options: z.optional(platformOptionsSchema),
  /** The deployment leaves its platform: the only step for plans with one platform at a time. */
  isMove: z.optional(z.boolean()),
});
const destinationInput = { deploymentId: idSchema, destinationId: idSchema };
export const removeDestinationInput = z.strictObject({
  ...destinationInput,
  /** The site there stays published, and is forgotten here: for an account that can no longer be reached. */
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
     * Limits the list to deployments that need their owner: the newest release or a further platform failed, a
     * platform waits, files are damaged, the last check failed, a deletion is refused, or the connection that
     * publishes them is gone.
     */
    needsCare: z.optional(z.literal(true)),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const updateDeploymentInput = z.strictObject({
  deploymentId: idSchema,
  name: z.optional(deploymentNameSchema),
  /** A change of address is an act of its own; the old one is reserved for 30 days. */
  slug: z.optional(slugSchema),
  /** On the built-in host, a missing page then shows `index.html`. */
  isSinglePage: z.optional(z.boolean()),
  /** On the built-in host, `about.html` is also served at `/about`. */
  hasCleanUrls: z.optional(z.boolean()),
});
/** For a new deployment, the name that makes its address; for an existing one, the wanted address. */
export const checkAddressInput = z.union([
  z.strictObject({ name: deploymentNameSchema }),
  z.strictObject({ deploymentId: idSchema, slug: slugSchema }),
]);
export const removeDeploymentInput = z.strictObject({
  deploymentId: idSchema,
  /** Sites at platforms stay published: for a platform that refuses to remove them. */
  leaveSite: z.optional(z.boolean()),
});
export const rollBackDeploymentInput = z.strictObject({ deploymentId: idSchema, releaseId: idSchema });

export const addressCheckSchema = z.strictObject({
  wanted: z.string(),
  /**
   * The address that it would get now: `wanted` if that is free, else the next free one. Null when random letters
   * would be added to a name, and for a change to an address that is taken.
   */
  slug: z.nullable(z.string()),
});

/** The part of a release that a deployment's row shows. */
const releaseRefSchema = z.strictObject({
  id: idSchema,
  number: z.number(),
  state: releaseStateSchema,
  source: releaseSourceSchema,
  createdAt: z.date(),
  finishedAt: z.nullable(z.date()),
  /** The time since when it serves; a rollback begins anew. Null while it was never live. */
  liveSince: z.nullable(z.date()),
  /** The reason why it failed, in a sentence for a person. */
  errorMessage: z.nullable(z.string()),
  /** The number of files that cannot be read any more and are not served; the release names them. */
  corruptedFileCount: z.number(),
  hasStartPage: z.boolean(),
  needsBuild: z.exactOptional(z.boolean()),
  /** Counts what its visitors do not get, with one example in words; absent when nothing is missing. */
  missing: z.exactOptional(z.strictObject({ files: z.number(), links: z.number(), example: z.string() })),
});

/**
 * A destination that cannot be published to until the person acts: its connection, or one that its options name, is
 * refused or gone.
 */
const lostConnectionSchema = z.strictObject({
  destinationId: idSchema,
  provider: platformIdSchema,
  /** The connection that needs another credential; null when it was removed. */
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
  /** The address that it has from the start. */
  url: z.string(),
  /** The address that visitors use: an active domain of its own, else `url`. */
  visitUrl: z.string(),
  /** The destination whose address, state and platform are the deployment's own. */
  primaryId: idSchema,
  destinations: z.array(destinationSchema),
  lostConnections: z.array(lostConnectionSchema),
  /** The release that is served; null before any was live. */
  currentRelease: z.nullable(releaseRefSchema),
  /** The newest release, running or finished, whatever its result. */
  latestRelease: z.nullable(releaseRefSchema),
  releaseCount: z.number(),
  isSinglePage: z.boolean(),
  hasCleanUrls: z.boolean(),
  /** True while it is being deleted and its sites at platforms are left, as its owner chose. */
  leavesSites: z.optional(z.boolean()),
  createdAt: z.date(),
  updatedAt: z.date(),
});
/** A site of a deleted deployment that stays at a platform, shown until the person has read it. */
export const leftSiteSchema = z.strictObject({
  id: idSchema,
  title: z.string(),
  message: z.string(),
  /** The address; null when it is not known. */
  url: z.nullable(z.string()),
});
export const leftSitesSchema = z.strictObject({ items: z.array(leftSiteSchema) });
export const dismissLeftSiteInput = z.strictObject({ id: idSchema });

export const deploymentListSchema = z.strictObject({
  items: z.array(deploymentSchema),
  nextCursor: z.nullable(z.string()),
});
/** The platforms to which at least one deployment is published. */
export const deploymentPlatformsSchema = z.strictObject({ items: z.array(platformIdSchema) });

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
export type DeploymentPlatforms = z.infer<typeof deploymentPlatformsSchema>;
