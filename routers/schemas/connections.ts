import * as z from 'zod/mini';
import { dnsCredentialSchema, dnsProviderIdSchema } from './dns-providers.ts';
import { CONNECTION_PROVIDERS } from './platforms/ids.ts';
import { credentialSchema, idSchema, MAX_CREDENTIAL } from './primitives.ts';

export const connectionProviderSchema = z.enum(CONNECTION_PROVIDERS);

export const connectPlatformInput = z.strictObject({ provider: connectionProviderSchema, token: credentialSchema });
export const connectInput = z.discriminatedUnion('provider', [connectPlatformInput, dnsCredentialSchema]);
export const authorizeConnectionInput = z.strictObject({ provider: connectionProviderSchema });
/** The parameters that the platform added to the address of the browser's return. */
export const finishAuthorizationInput = z.strictObject({
  provider: connectionProviderSchema,
  code: z.string().check(z.minLength(1), z.maxLength(MAX_CREDENTIAL)),
  state: z.string().check(z.minLength(1), z.maxLength(200)),
});
export const replaceConnectionInput = z.union([
  z.strictObject({ connectionId: idSchema, token: credentialSchema }),
  z.strictObject({ connectionId: idSchema, credential: dnsCredentialSchema }),
]);
export const testConnectionInput = z.strictObject({ connectionId: idSchema });
export const listTargetsInput = z.strictObject({ connectionId: idSchema });
export const removeConnectionInput = z.strictObject({ connectionId: idSchema });

/** A connection is `broken` once the platform refuses its credential; live sites stay live. */
export const connectionStateSchema = z.enum(['ok', 'broken']);

/** `url` is empty when there is no address yet. */
const usersSchema = z.array(z.strictObject({ id: idSchema, name: z.string(), url: z.string() }));
const domainsSchema = z.array(z.strictObject({ id: idSchema, name: z.string() }));
const commonFields = {
  id: idSchema,
  /** The account there: "anna@example.com", "acme-inc". */
  identity: z.string(),
  state: connectionStateSchema,
  /** The reason why it is broken and the remedy, for a person; null while it works. */
  problem: z.nullable(z.strictObject({ message: z.string(), hint: z.nullable(z.string()) })),
  /** Obstacles to publishing, or to writing records, although the credential is accepted. */
  warnings: z.array(z.string()),
  /** Null when the credential does not expire, or the provider does not say when. */
  expiresAt: z.nullable(z.date()),
  testedAt: z.date(),
  createdAt: z.date(),
  /** The deployments that could no longer be published without it; empty for DNS. */
  deployments: usersSchema,
};
export const platformConnectionSchema = z.strictObject({
  ...commonFields,
  kind: z.literal('platform'),
  provider: connectionProviderSchema,
});
export const dnsConnectionSchema = z.strictObject({
  ...commonFields,
  kind: z.literal('dns'),
  provider: dnsProviderIdSchema,
  /**
   * The domains whose zone it holds: a proof by DNS, as for a renewal, is written through it. The list is as long as a
   * person reads.
   */
  domains: domainsSchema,
  /** The zones that were used through it and are no longer there. */
  lostZones: z.array(z.strictObject({ name: z.string(), text: z.string() })),
});
export const connectionSchema = z.discriminatedUnion('kind', [platformConnectionSchema, dnsConnectionSchema]);
export const connectionListSchema = z.strictObject({
  items: z.array(connectionSchema),
  /** Providers with sign-in set up by the operator, so that no token has to be pasted. */
  signIn: z.array(connectionProviderSchema),
  /** The pages for making tokens, for platforms whose API the operator has at an unusual address. */
  tokenPages: z.partialRecord(connectionProviderSchema, z.string()),
  /** DNS providers to which records can be written. */
  dnsProviders: z.array(dnsProviderIdSchema),
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
export type PlatformConnection = z.infer<typeof platformConnectionSchema>;
export type Connection = z.infer<typeof connectionSchema>;
export type ConnectionList = z.infer<typeof connectionListSchema>;
export type Authorization = z.infer<typeof authorizationSchema>;
export type TargetList = z.infer<typeof targetListSchema>;
