/**
 * A license key is `FL-` and five groups of five symbols of Crockford's base 32, which leaves out symbols that are
 * easily confused (https://www.crockford.com/base32.html): 24 random ones, 120 bits, and a check symbol.
 */
export const LICENSE_KEY_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const LICENSE_KEY_SYMBOLS = 24;
/** `FL-` and the first group: enough to recognise a key, too few to use it. */
export const LICENSE_PREFIX_LENGTH = 8;

const START = 'FL';
const WHOLE = /^[0-9A-HJKMNP-TV-Z]{25}$/;
/** People and their programs put these between the groups. */
const BETWEEN = /[\s\-_.\u2010-\u2015\u2212]/g;

/** Returns the key of 24 symbols, with the check symbol, in the form for people. */
export function licenseKeyOf(symbols: string): string {
  return inGroups(symbols + checkSymbol(symbols));
}

/**
 * Returns a key in its original form, however it was typed: in lower case, without hyphens, with O for 0 and I or L
 * for 1.
 */
export function normalizeLicenseKey(typed: string): string {
  const letters = typed.replace(BETWEEN, '').toUpperCase();
  const body = letters.length > LICENSE_KEY_SYMBOLS + 1 && letters.startsWith(START) ? letters.slice(2) : letters;
  const symbols = body.replaceAll('O', '0').replace(/[IL]/g, '1');
  return WHOLE.test(symbols) ? inGroups(symbols) : typed;
}

/**
 * Returns whether a normalized key is complete and its check symbol is right, which it is not after a typing mistake.
 */
export function isLicenseKey(key: string): boolean {
  const symbols = key.slice(START.length).replaceAll('-', '');
  if (!key.startsWith(`${START}-`) || !WHOLE.test(symbols)) return false;
  return checkSymbol(symbols.slice(0, LICENSE_KEY_SYMBOLS)) === symbols.slice(LICENSE_KEY_SYMBOLS);
}

function inGroups(symbols: string): string {
  return [START, ...(symbols.match(/.{5}/g) ?? [])].join('-');
}

/**
 * Returns the check symbol by the Luhn algorithm with 32 symbols (ISO/IEC 7812-1, annex B, has it with ten): one wrong
 * symbol never passes.
 */
function checkSymbol(symbols: string): string {
  const base = LICENSE_KEY_ALPHABET.length;
  let sum = 0;
  let factor = 2;
  for (const symbol of [...symbols].reverse()) {
    const addend = factor * LICENSE_KEY_ALPHABET.indexOf(symbol);
    sum += Math.floor(addend / base) + (addend % base);
    factor = factor === 2 ? 1 : 2;
  }
  return LICENSE_KEY_ALPHABET.charAt((base - (sum % base)) % base);
}
