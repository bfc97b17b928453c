import type { CheckResult, CheckVerdict } from '../schemas/diagnostics.ts';

const WORST_FIRST: readonly CheckVerdict[] = ['fail', 'warn', 'pass'];

/** Without them nobody knows whether visitors get the page, whatever else is right. */
const isDecisive = ({ id }: Pick<CheckResult, 'id'>): boolean => id === 'resolves' || id === 'url-up';

/** Returns the worst verdict of a report; it is unknown when nothing failed and a decisive check is unknown. */
export function reportVerdict(checks: readonly Pick<CheckResult, 'id' | 'verdict'>[]): CheckVerdict {
  const worst = WORST_FIRST.find((wanted) => checks.some(({ verdict }) => verdict === wanted)) ?? 'unknown';
  const isBlind = checks.some((check) => check.verdict === 'unknown' && isDecisive(check));
  return isBlind && worst !== 'fail' ? 'unknown' : worst;
}
