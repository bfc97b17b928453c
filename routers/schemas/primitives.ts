import * as z from 'zod/mini';

/** Ids are 20 random characters: no counters in addresses (security: an id tells nothing about its neighbours). */
export const ID_LENGTH = 20;
export const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export const idSchema = z.string().check(z.regex(/^[0-9a-z]{20}$/, 'This is not an id'));

/** An artifact is named by its SHA-256 in lower-case hex. */
export const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'This is not a SHA-256 hash'));

/**
 * A name is one line of visible characters. It has no halves of surrogate pairs, which no UTF-8 holds: they would come
 * back as other characters than those that were sent.
 */
export const nameCanBeShown = z.regex(/^[^\p{Cc}\p{Cf}\p{Cs}]*$/u, 'The name holds a character that cannot be shown');

/** Returns the rule of a text of several lines, and of what is searched for in names. */
export const withoutControlCharacters = (message: string) => z.regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, message);

/** A cursor is opaque to its reader: hand back what the page before gave. */
export const cursorSchema = z.string().check(z.minLength(1), z.maxLength(200));

export const PAGE_SIZE_DEFAULT = 25;
const PAGE_SIZE_MAX = 50;
export const pageSizeSchema = z._default(z.int().check(z.minimum(1), z.maximum(PAGE_SIZE_MAX)), PAGE_SIZE_DEFAULT);

/** Where nothing goes in: a stray field is refused instead of ignored. */
export const emptyInput = z.optional(z.strictObject({}));

/** The answer of a mutation that has nothing else to say. */
export const doneSchema = z.strictObject({ done: z.literal(true) });
export const DONE = { done: true } as const;

export type Done = z.infer<typeof doneSchema>;
