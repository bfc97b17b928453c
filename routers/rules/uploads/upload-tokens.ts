import { lineCounter } from '../text-lines.ts';

/** Larger files are data, and not forgotten settings. */
const TOKEN_FILE_MAX_BYTES = 1024 * 1024;

export type TokenKind = 'aws' | 'github' | 'stripe' | 'pem';
/** `masked` names the kind of key without revealing its secret. */
export type FoundToken = { kind: TokenKind; line: number; masked: string };

export const TOKEN_NAMES: Record<TokenKind, string> = {
  aws: 'an access key of Amazon Web Services',
  github: 'an access token of GitHub',
  stripe: 'a live secret key of Stripe',
  pem: 'a private key',
};

/**
 * A name that continues before or after the match is another word, such as a hash. Shapes: the vendors' pages on
 * secret scanning, 2026.
 */
const SHAPES: readonly (readonly [kind: TokenKind, shape: RegExp, shown: string])[] = [
  ['aws', /(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![A-Za-z0-9])/g, 'AKIA'],
  ['github', /(?<![A-Za-z0-9])ghp_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g, 'ghp_'],
  ['stripe', /(?<![A-Za-z0-9])sk_live_[A-Za-z0-9]{16,}/g, 'sk_live_'],
  ['pem', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/g, '-----BEGIN PRIVATE KEY-----'],
];
/** Enough to show that a file is full of them. */
const MAX_A_FILE = 20;

const TEXT_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    'html htm css js mjs cjs jsx ts tsx json map xml svg txt md csv yaml yml toml ini conf cfg env sh php py rb vue ' +
    'svelte webmanifest properties local production log'
  ).split(' '),
);

/** Returns whether a file is searched for keys: a text by its name, and not too large. */
export function mayHoldTokens({ path, sizeBytes }: { path: string; sizeBytes: number }): boolean {
  return sizeBytes > 0 && sizeBytes < TOKEN_FILE_MAX_BYTES && isTextName(path);
}

/** Judges by the extension; a name without one, such as `README` or `.env`, is a text. */
function isTextName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name.length > dot + 1 : TEXT_EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}

/** Returns the keys in one text, in the order of their lines, at most twenty. */
export function findTokens(text: string): FoundToken[] {
  const found: { kind: TokenKind; at: number; masked: string }[] = [];
  for (const [kind, shape, shown] of SHAPES) {
    // Most texts hold none: a plain search is far faster than the regular expression.
    if (!text.includes(kind === 'pem' ? 'PRIVATE KEY-----' : shown)) continue;
    for (const match of text.matchAll(shape)) {
      found.push({ kind, at: match.index, masked: kind === 'pem' ? shown : `${shown}••••••••` });
      if (found.length >= MAX_A_FILE) break;
    }
  }
  found.sort((a, b) => a.at - b.at);
  const lineAt = lineCounter(text);
  return found.slice(0, MAX_A_FILE).map(({ kind, at, masked }) => ({ kind, line: lineAt(at), masked }));
}
