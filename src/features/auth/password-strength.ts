import { REGISTRATION_PASSWORD_MIN, STRENGTH_THRESHOLDS } from '../../../routers/schemas/limits.ts';

export type StrengthLabel = 'Weak' | 'Fair' | 'Moderate' | 'Strong';

const LONG = 12;
const POINTS_MAX = 6;

/** The live checklist of the registration form (specification, section 2). */
export const passwordChecks: readonly { label: string; isMet: (password: string) => boolean }[] = [
  { label: 'At least 8 characters', isMet: (password) => password.length >= REGISTRATION_PASSWORD_MIN },
  { label: 'An uppercase letter', isMet: (password) => /[A-Z]/.test(password) },
  { label: 'A lowercase letter', isMet: (password) => /[a-z]/.test(password) },
  { label: 'A number', isMet: (password) => /[0-9]/.test(password) },
];

/** Points of six as a percentage, rounded down (specification, section 5). */
export function passwordStrength(password: string): number {
  const points = [
    ...passwordChecks.map(({ isMet }) => isMet(password)),
    password.length >= LONG,
    /[^A-Za-z0-9]/.test(password),
  ].filter(Boolean).length;
  return Math.min(100, Math.floor((points / POINTS_MAX) * 100));
}

/** The bar's word at its thresholds (specification, section 4). */
export function strengthLabel(strength: number): StrengthLabel {
  if (strength < STRENGTH_THRESHOLDS.fair) return 'Weak';
  if (strength < STRENGTH_THRESHOLDS.moderate) return 'Fair';
  return strength < STRENGTH_THRESHOLDS.strong ? 'Moderate' : 'Strong';
}
