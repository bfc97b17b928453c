import * as z from 'zod/mini';
import { idSchema } from '../primitives.ts';
import type { PlatformId } from './ids.ts';

/**
 * A person's choices among a platform's own settings: small values by name, stored with the destination and passed to
 * its adapter.
 */
export const platformOptionsSchema = z.record(
  z.string().check(z.maxLength(50)),
  z.union([z.string().check(z.maxLength(500)), z.boolean()]),
);
export type PlatformOptions = z.infer<typeof platformOptionsSchema>;

const none = z.strictObject({});

const publicFiles = z.literal(true, 'My files may be public in a GitHub repository.');
/** `name`, or `owner/name`; empty to make one. GitHub accepts letters, digits, `.`, `_` and `-`. */
const repositorySchema = z
  .string()
  .check(
    z.maxLength(140, 'The name of the repository is too long.'),
    z.regex(/^(?:(?:[\w-]+\/)?[\w.-]+)?$/, 'Write the repository as name or owner/name.'),
  );

/**
 * The options of each platform. A required consent is `z.literal(true)` with the words for a person who has not given
 * it.
 */
export const PLATFORM_OPTIONS: Record<PlatformId, z.ZodMiniType<PlatformOptions>> = {
  'built-in': none,
  netlify: none,
  vercel: none,
  'github-pages': z.strictObject({ publicFiles, repository: z.exactOptional(repositorySchema) }),
  render: z.strictObject({
    publicFiles,
    repository: z.exactOptional(repositorySchema),
    /** The connection to GitHub; optional when there is one. */
    githubConnectionId: z.exactOptional(idSchema),
  }),
  heroku: z.strictObject({
    /** Heroku Dev Center, "Dyno Types" and "Eco Dyno Hours". */
    paymentThere: z.literal(
      true,
      'Heroku is not free: agree to pay for a dyno there ($5 a month for Eco, $7 for Basic) before you publish.',
    ),
    dyno: z.exactOptional(z.enum(['basic', 'eco'], 'Choose a Basic or an Eco dyno.')),
    /** The name of an app that the account already has. */
    app: z.exactOptional(
      z.string().check(z.regex(/^[a-z][a-z0-9-]{1,28}[a-z0-9]$/, 'Enter the name of an app as Heroku shows it.')),
    ),
  }),
  replit: none,
  simulated: none,
};
