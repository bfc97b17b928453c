import * as z from 'zod/mini';
import { idSchema } from '../primitives.ts';
import type { PlatformId } from './ids.ts';

/**
 * A person's choices among a platform's own settings: small values by name, kept with the destination and given to its
 * adapter.
 */
export const platformOptionsSchema = z.record(
  z.string().check(z.maxLength(50)),
  z.union([z.string().check(z.maxLength(500)), z.boolean()]),
);
export type PlatformOptions = z.infer<typeof platformOptionsSchema>;

const none = z.strictObject({});

const publicFiles = z.literal(true, 'My files may be public in a GitHub repository.');
/** `name`, or `owner/name`; empty where one is made. Letters, digits, `.`, `_` and `-`, as GitHub takes them. */
const repositorySchema = z
  .string()
  .check(
    z.maxLength(140, 'The name of the repository is too long.'),
    z.regex(/^(?:(?:[\w-]+\/)?[\w.-]+)?$/, 'Write the repository as name or owner/name.'),
  );

/**
 * These are the options that each platform takes. A consent that it requires is `z.literal(true)` with the words for a
 * person who has not given it.
 */
export const PLATFORM_OPTIONS: Record<PlatformId, z.ZodMiniType<PlatformOptions>> = {
  'built-in': none,
  netlify: none,
  vercel: none,
  'github-pages': z.strictObject({ publicFiles, repository: z.exactOptional(repositorySchema) }),
  render: z.strictObject({
    publicFiles,
    repository: z.exactOptional(repositorySchema),
    /** The connection to GitHub; may be left out where there is one. */
    githubConnectionId: z.exactOptional(idSchema),
  }),
  heroku: z.strictObject({
    /** Heroku Dev Center, "Dyno Types" and "Eco Dyno Hours". */
    paymentThere: z.literal(
      true,
      'Heroku is not free: agree to pay for a dyno there ($5 a month for Eco, $7 for Basic) before you publish.',
    ),
    dyno: z.exactOptional(z.enum(['basic', 'eco'], 'Choose a Basic or an Eco dyno.')),
    /** The name of an app that the account has already. */
    app: z.exactOptional(
      z.string().check(z.regex(/^[a-z][a-z0-9-]{1,28}[a-z0-9]$/, 'Enter the name of an app as Heroku shows it.')),
    ),
  }),
  replit: none,
  simulated: none,
};
