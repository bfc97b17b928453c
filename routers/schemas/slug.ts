import { DEPLOYMENT_NAME_MAX, SLUG_MAX } from './limits.ts';
import { normalForm } from './normal-form.ts';

/** Apart from the schemas, so that a form that only shows an address carries no zod. */
export const NAME_TOO_LONG = `The name is longer than ${DEPLOYMENT_NAME_MAX} characters`;

/** Letters with a spelling of their own where there are only 26, and those that do not come apart into one and a mark. */
const LATIN: Record<string, string> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ı: 'i',
};

/** Makes a slug from a name: `Müllers Café 2` gives `muellers-cafe-2`; empty when nothing is left. */
export function slugFromName(name: string): string {
  const latin = name
    .slice(0, DEPLOYMENT_NAME_MAX)
    .toLowerCase()
    .replace(/[^a-z]/g, (letter) => LATIN[letter] ?? letter);
  const bare = (normalForm(latin, 'NFD') ?? '').replace(/\p{M}/gu, '');
  return cutSlug(bare.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, ''), SLUG_MAX);
}

/** Returns how a name is numbered on: `harbour` to `harbour-2`, and `harbour-2` to `harbour-3`. */
export function nextNumbered(name: string): { stem: string; next: number } {
  const [end, number = '1'] = /-([2-9])$/.exec(name) ?? [''];
  return { stem: name.slice(0, name.length - end.length), next: Number(number) + 1 };
}

/** Returns the first words of a slug that fit into `length`; a single longer word is cut. */
export function cutSlug(slug: string, length: number): string {
  if (slug.length <= length) return slug;
  // A hyphen right after the limit ends a word that fits.
  const end = slug.lastIndexOf('-', length);
  return slug.slice(0, end > 0 ? end : length);
}
