import * as z from 'zod/mini';
import { currentPasswordSchema } from './auth.ts';
import { idSchema, nameCanBeShown } from './primitives.ts';

export const SCOPES = ['read', 'write'] as const;
const scopeSchema = z.enum(SCOPES);

export const createTokenInput = z.strictObject({
  name: z
    .string()
    .check(z.trim(), z.minLength(1, 'Give the token a name'), z.maxLength(60, 'The name is too long'), nameCanBeShown),
  scopes: z.array(scopeSchema).check(z.minLength(1, 'Choose what the token may do'), z.maxLength(SCOPES.length)),
  /** Null for a token that lasts until it is revoked. */
  expiresInDays: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(366)))),
  /** A token outlives the browser session that makes it, so a person who finds a browser unlocked must not get one. */
  currentPassword: currentPasswordSchema,
});
export const revokeTokenInput = z.strictObject({ tokenId: idSchema });

const tokenSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  /** The first eight characters: enough to recognise one, too few to use it. */
  prefix: z.string(),
  scopes: z.array(scopeSchema),
  createdAt: z.date(),
  expiresAt: z.nullable(z.date()),
  lastUsedAt: z.nullable(z.date()),
});
export const tokenListSchema = z.strictObject({ items: z.array(tokenSchema) });
/** `secret` is shown once; only its hash is kept. */
export const createdTokenSchema = z.extend(tokenSchema, { secret: z.string() });

export type Scope = z.infer<typeof scopeSchema>;
export type CreateTokenInput = z.infer<typeof createTokenInput>;
export type RevokeTokenInput = z.infer<typeof revokeTokenInput>;
export type ApiToken = z.infer<typeof tokenSchema>;
export type CreatedToken = z.infer<typeof createdTokenSchema>;
