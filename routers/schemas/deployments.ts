import * as z from 'zod/mini';
import { platformIdSchema } from './platforms/index.ts';
import { cursorSchema, holdsNoControls, idSchema, nameCanBeShown, pageSizeSchema } from './primitives.ts';
import { DEPLOYMENT_NAME_MAX, NAME_TOO_LONG, SLUG_MAX } from './slug.ts';
import { deploymentStateSchema, releaseStateSchema } from './states.ts';

export { cutSlug, DEPLOYMENT_NAME_MAX, SLUG_MAX, slugFromName } from './slug.ts';

const deploymentNameSchema = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Give the deployment a name'),
    z.maxLength(DEPLOYMENT_NAME_MAX, NAME_TOO_LONG),
    nameCanBeShown,
  );

/** Security facts, section 3.1. */
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
  z.regex(/^[a-z0-9-]*$/, 'An address has small letters a to z, digits and hyphens only'),
  z.regex(/^(?!-).*(?<!-)$/, 'An address does not start or end with a hyphen'),
  z.refine((slug) => !slug.includes('--'), 'An address has no two hyphens in a row'),
  z.refine((slug) => !RESERVED_SLUGS.includes(slug), 'This address is reserved'),
);

/** Said at the address field as soon as it is known, and again when it is sent all the same. */
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
  /** Made by the client: the second call with the same key gives the first one's answer, for 24 hours. */
  idempotencyKey: z.optional(idempotencyKeySchema),
});
export const getDeploymentInput = z.strictObject({ deploymentId: idSchema });
export const listDeploymentsInput = z.optional(
  z.strictObject({
    search: z.optional(
      z.string().check(z.maxLength(DEPLOYMENT_NAME_MAX), holdsNoControls('A search cannot contain control characters')),
    ),
    platform: z.optional(platformIdSchema),
    state: z.optional(deploymentStateSchema),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const updateDeploymentInput = z.strictObject({
  deploymentId: idSchema,
  name: z.optional(deploymentNameSchema),
  /** A change of address is an act of its own; the old one is held for 30 days. */
  slug: z.optional(slugSchema),
  /** On the built-in host: a page that does not exist shows `index.html`. */
  isSinglePage: z.optional(z.boolean()),
  /** On the built-in host: `about.html` also answers at `/about`. */
  hasCleanUrls: z.optional(z.boolean()),
});
/** Of a deployment to come, the name that makes its address; of one that stands, the address that it shall have. */
export const checkAddressInput = z.union([
  z.strictObject({ name: deploymentNameSchema }),
  z.strictObject({ deploymentId: idSchema, slug: slugSchema }),
]);
export const removeDeploymentInput = z.strictObject({ deploymentId: idSchema });
export const rollBackDeploymentInput = z.strictObject({ deploymentId: idSchema, releaseId: idSchema });

export const addressCheckSchema = z.strictObject({
  wanted: z.string(),
  /**
   * What it would be now: `wanted` where that is free, else the next one that is. Null where a name has random letters
   * added to it, and for a change to an address that is taken.
   */
  slug: z.nullable(z.string()),
});

/** A release as a deployment's row names it. */
const releaseRefSchema = z.strictObject({
  id: idSchema,
  number: z.number(),
  state: releaseStateSchema,
  createdAt: z.date(),
  finishedAt: z.nullable(z.date()),
  /** Since when it serves, or when it last began to: a roll back begins anew. Null while it was never live. */
  liveSince: z.nullable(z.date()),
  /** The sentence of a failure, for a person. */
  errorMessage: z.nullable(z.string()),
  /** Files that cannot be read any more, so that they are not served; the release names them. */
  damagedFileCount: z.number(),
});

export const deploymentSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  slug: z.string(),
  platform: platformIdSchema,
  state: deploymentStateSchema,
  url: z.string(),
  /** The one that is served; null while none was ever live. */
  currentRelease: z.nullable(releaseRefSchema),
  /** The newest or the one that is worked on, whatever became of it. */
  latestRelease: z.nullable(releaseRefSchema),
  releaseCount: z.number(),
  isSinglePage: z.boolean(),
  hasCleanUrls: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
});
export const deploymentListSchema = z.strictObject({
  items: z.array(deploymentSchema),
  nextCursor: z.nullable(z.string()),
});

export type CreateDeploymentInput = z.infer<typeof createDeploymentInput>;
export type GetDeploymentInput = z.infer<typeof getDeploymentInput>;
export type ListDeploymentsInput = z.infer<typeof listDeploymentsInput>;
export type UpdateDeploymentInput = z.infer<typeof updateDeploymentInput>;
export type CheckAddressInput = z.infer<typeof checkAddressInput>;
export type RemoveDeploymentInput = z.infer<typeof removeDeploymentInput>;
export type RollBackDeploymentInput = z.infer<typeof rollBackDeploymentInput>;
export type AddressCheck = z.infer<typeof addressCheckSchema>;
export type ReleaseRef = z.infer<typeof releaseRefSchema>;
export type Deployment = z.infer<typeof deploymentSchema>;
export type DeploymentList = z.infer<typeof deploymentListSchema>;
