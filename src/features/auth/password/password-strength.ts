import { REGISTRATION_PASSWORD_MIN, STRENGTH_THRESHOLDS } from '../../../../routers/schemas/limits.ts';

export type StrengthLabel = 'Weak' | 'Fair' | 'Moderate' | 'Strong';

const LONG = 12;
const POINTS_MAX = 6;

/** The live checklist of the registration form. */
export const passwordChecks: readonly { label: string; isMet: (password: string) => boolean }[] = [
  { label: 'At least 8 characters', isMet: (password) => password.length >= REGISTRATION_PASSWORD_MIN },
  { label: 'An uppercase letter', isMet: (password) => /[A-Z]/.test(password) },
  { label: 'A lowercase letter', isMet: (password) => /[a-z]/.test(password) },
  { label: 'A number', isMet: (password) => /[0-9]/.test(password) },
];

/** Returns the points, of six, as a percentage, rounded down. */
export function passwordStrength(password: string): number {
  const points = [
    ...passwordChecks.map(({ isMet }) => isMet(password)),
    password.length >= LONG,
    /[^A-Za-z0-9]/.test(password),
  ].filter(Boolean).length;
  return Math.min(100, Math.floor((points / POINTS_MAX) * 100));
}

/** Returns the bar's word at its thresholds. */
export function strengthLabel(strength: number): StrengthLabel {
  if (strength < STRENGTH_THRESHOLDS.fair) return 'Weak';
  if (strength < STRENGTH_THRESHOLDS.moderate) return 'Fair';
  return strength < STRENGTH_THRESHOLDS.strong ? 'Moderate' : 'Strong';
}

/**
 * The words that attackers try first, without digits and symbols around them: the heads of the published lists of
 * leaked passwords (NCSC, "PwnedPasswordsTop100k", April 2019), if they can meet the rules of a registration.
 */
const COMMON_CORES = new Set(
  (
    'password passwort pass passwd qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm qaz2wsx q2w3e4r ' +
    'aa abc abcd abcdef admin administrator root login welcome letmein changeme default secret master test hello ' +
    'iloveyou monkey dragon football baseball basketball sunshine princess superman batman pokemon shadow charlie ' +
    'michael jordan liverpool chelsea arsenal summer winter spring autumn trustno whatever freedom fairlead'
  ).split(' '),
);
const LETTER_OF_SIGN: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
};
/** A shorter name is in many good passwords by coincidence. */
const NAME_MIN = 3;

/** Returns why a password that meets all rules is still a poor choice; null when no reason is known. */
export function passwordHint(password: string, username = ''): string | null {
  if (password.length < REGISTRATION_PASSWORD_MIN) return null;
  const lower = password.toLowerCase();
  const name = username.trim().toLowerCase();
  const isNameIn = [name, name.replaceAll(' ', '')].some((form) => form.length >= NAME_MIN && lower.includes(form));
  if (isNameIn) return 'It contains your username, which makes it easy to guess.';
  const core = between(lower);
  const spelled = [...core].map((sign) => LETTER_OF_SIGN[sign] ?? sign).join('');
  const isCommon = core === '' || COMMON_CORES.has(core) || COMMON_CORES.has(spelled);
  return isCommon
    ? 'Whatever the bar says, this password is very common, and among the first that attackers try.'
    : null;
}

/** Returns the text from the first letter to the last. */
function between(lower: string): string {
  const isLetter = (sign: string) => sign >= 'a' && sign <= 'z';
  const signs = [...lower];
  return signs.slice(Math.max(0, signs.findIndex(isLetter)), signs.findLastIndex(isLetter) + 1).join('');
}
