import * as z from 'zod/mini';
import { CONNECTION_PROVIDERS } from './platforms/ids.ts';
import { idSchema } from './primitives.ts';

const TOKEN_MAX = 4_096;

const tokenSchema = z.string().check(
  z.trim(),
  z.minLength(1, 'Paste the token'),
  z.maxLength(TOKEN_MAX, 'This is too long to be a token'),
  // Node refuses to send anything else in a header.
  z.regex(/^[\x21-\x7e]*$/, 'A token has no spaces and no accented letters. Copy it again.'),
);
export const connectionProviderSchema = z.enum(CONNECTION_PROVIDERS);

export const connectInput = z.strictObject({ provider: connectionProviderSchema, token: tokenSchema });
export const authorizeConnectionInput = z.strictObject({ provider: connectionProviderSchema });
/** What the platform added to the address that it sent the browser back to. */
export const finishAuthorizationInput = z.strictObject({
  provider: connectionProviderSchema,
  code: z.string().check(z.minLength(1), z.maxLength(TOKEN_MAX)),
  state: z.string().check(z.minLength(1), z.maxLength(200)),
});
export const replaceConnectionInput = z.strictObject({ connectionId: idSchema, token: tokenSchema });
export const testConnectionInput = z.strictObject({ connectionId: idSchema });
export const listTargetsInput = z.strictObject({ connectionId: idSchema });
export const removeConnectionInput = z.strictObject({ connectionId: idSchema });

/** A connection is `broken` from the moment that the platform refuses its credential; what is live stays live. */
export const connectionStateSchema = z.enum(['ok', 'broken']);

export const connectionSchema = z.strictObject({
  id: idSchema,
  provider: connectionProviderSchema,
  kind: z.enum(['platform', 'dns']),
  /** The account there: "anna@example.com", "acme-inc". */
  identity: z.string(),
  state: connectionStateSchema,
  /** Why it is broken and what to do, for a person; null while it works. */
  problem: z.nullable(z.strictObject({ message: z.string(), hint: z.nullable(z.string()) })),
  /** Obstacles to publishing although the credential is accepted. */
  warnings: z.array(z.string()),
  /** Null where the credential does not end, or the platform does not say when. */
  expiresAt: z.nullable(z.date()),
  testedAt: z.date(),
  createdAt: z.date(),
  /** The deployments that cannot be published any more once this is removed. */
  deployments: z.array(z.strictObject({ id: idSchema, name: z.string() })),
});
export const connectionListSchema = z.strictObject({
  items: z.array(connectionSchema),
  /** Providers for which the operator has set up sign-in, so that no token has to be pasted. */
  signIn: z.array(connectionProviderSchema),
});
export const authorizationSchema = z.strictObject({ url: z.string() });
export const targetListSchema = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), name: z.string() })),
});

export type ConnectInput = z.infer<typeof connectInput>;
export type AuthorizeConnectionInput = z.infer<typeof authorizeConnectionInput>;
export type FinishAuthorizationInput = z.infer<typeof finishAuthorizationInput>;
export type ReplaceConnectionInput = z.infer<typeof replaceConnectionInput>;
export type TestConnectionInput = z.infer<typeof testConnectionInput>;
export type ListTargetsInput = z.infer<typeof listTargetsInput>;
export type RemoveConnectionInput = z.infer<typeof removeConnectionInput>;
export type ConnectionState = z.infer<typeof connectionStateSchema>;
export type Connection = z.infer<typeof connectionSchema>;
export type ConnectionList = z.infer<typeof connectionListSchema>;
export type Authorization = z.infer<typeof authorizationSchema>;
export type TargetList = z.infer<typeof targetListSchema>;
