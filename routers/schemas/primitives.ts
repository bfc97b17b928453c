import * as z from 'zod/mini';

/** Ids are 20 random characters: no counters in addresses (security: an id reveals nothing about others). */
export const ID_LENGTH = 20;
export const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export const idSchema = z.string().check(z.regex(/^[0-9a-z]{20}$/, 'This is not an id'));

/** An artifact is named by its SHA-256 in lower-case hex. */
export const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'This is not a SHA-256 hash'));

/**
 * Matches characters that cannot be shown in a name: control and format characters, ends of lines, and those without a
 * shape, such as the fillers of Hangul and the blank of Braille. The joiners U+200C and U+200D are allowed between two
 * characters: Persian and Hindi are spelt with them, and they make one emoji of several (The Unicode Standard, section
 * 23.2). After a character that has several shapes a variation selector is allowed: an emoji, or a Han or Mongolian
 * letter (section 23.4). UTF-8 cannot hold halves of surrogate pairs: they would come back as other characters than
 * those that were sent.
 */
export const HIDDEN_CHARACTERS =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}](?=[\u200c\u200d][\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]))(?<!\p{Emoji}(?=[\ufe0e\ufe0f])|[\p{Script=Han}\p{Script=Mongolian}](?=\p{Variation_Selector}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A name is one line of visible characters. */
export const nameCanBeShown = z.refine<string>(
  (name) => name.search(HIDDEN_CHARACTERS) === -1,
  'The name holds a character that cannot be shown',
);

/** Returns the rule for texts of several lines, and for searches of names. */
export const withoutControlCharacters = (message: string) => z.regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, message);

/** A cursor is opaque to its reader: pass back the one from the previous page. */
export const cursorSchema = z.string().check(z.minLength(1), z.maxLength(200));

export const PAGE_SIZE_DEFAULT = 25;
export const PAGE_SIZE_MAX = 50;
export const pageSizeSchema = z._default(z.int().check(z.minimum(1), z.maximum(PAGE_SIZE_MAX)), PAGE_SIZE_DEFAULT);

/** Longer than any provider's token. */
export const MAX_CREDENTIAL = 4_096;

/** A pasted token or key of another service. */
export const credentialSchema = z.string().check(
  z.trim(),
  z.minLength(1, 'Paste the token'),
  z.maxLength(MAX_CREDENTIAL, 'This is too long to be a token'),
  // Node refuses to send anything else in a header.
  z.regex(/^[\x21-\x7e]*$/, 'A token has no spaces and no accented letters. Copy it again.'),
);

/** For procedures without input: a stray field is refused and not ignored. */
export const emptyInput = z.optional(z.strictObject({}));

/** The answer of a mutation that returns nothing else. */
export const doneSchema = z.strictObject({ done: z.literal(true) });
export const DONE = { done: true } as const;

export type Done = z.infer<typeof doneSchema>;
