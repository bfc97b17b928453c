import { UPLOAD_LIMITS } from './limits.ts';

/**
 * The longest text that is normalised, in UTF-16 code units. It covers the longest permitted path in any form:
 * decomposing takes at most four code units for one (Unicode FAQ, "Normalization").
 */
export const NORMALISED_MAX = 4 * UPLOAD_LIMITS.maxPathBytes;

/** Normalising this many takes at most some milliseconds, even if all are combining marks. */
const CHARACTERS_A_STEP = 4_096;

/**
 * Returns the text in a Unicode normal form, or null when it is longer than `NORMALISED_MAX`. Engines sort each run of
 * combining marks in quadratic time, so that a few megabytes of them would block the process for hours.
 */
export function normalForm(text: string, form: 'NFC' | 'NFD' = 'NFC'): string | null {
  return text.length > NORMALISED_MAX ? null : text.normalize(form);
}

/** Returns the form in which a search compares names: "cafe" finds "Café". */
export function searchKey(text: string): string {
  return (normalForm(text, 'NFD') ?? text).replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * Returns a name of an archive or browser in the one form of manifests: NFC, slashes, no leading `./`. A name that is
 * too long for that stays as it is: `pathRefusal` refuses it.
 */
export function normalisePath(path: string): string {
  return (normalForm(path) ?? path).replaceAll('\\', '/').replace(/^\.\//, '');
}

/** Does the same for many, with a pause after every few thousand characters. */
export function* normalisedPaths(paths: readonly string[]): Generator<void, string[]> {
  const normal: string[] = [];
  let characters = 0;
  for (const path of paths) {
    normal.push(normalisePath(path));
    characters += path.length;
    if (characters < CHARACTERS_A_STEP) continue;
    characters = 0;
    yield;
  }
  return normal;
}
