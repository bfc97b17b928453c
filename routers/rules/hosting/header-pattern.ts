import { type Address, type AddressPattern, fitsPattern, readAddress, withoutEndSlash } from './address-pattern.ts';

/**
 * The addresses that a rule of `_headers` applies to: with names and a star at the end, or any text between two ends.
 */
export type HeaderPattern = AddressPattern | { before: string; after: string };

/** Returns a matcher of the decoded path, without its leading slash, which is split once for all rules. */
export function matcherOf(file: string): (fits: HeaderPattern) => boolean {
  const path = `/${file}`;
  const trimmed = withoutEndSlash(path);
  let address: Address | null = null;
  return (fits) => {
    if ('segments' in fits) {
      address ??= readAddress(file);
      return fitsPattern(fits, address);
    }
    const isLongEnough = path.length >= fits.before.length + fits.after.length;
    return isLongEnough && path.startsWith(fits.before) && trimmed.endsWith(withoutEndSlash(fits.after));
  };
}
