import { expect, test } from 'vitest';
import { reportVerdict } from '../../routers/rules/report-verdict.ts';
import type { CheckId, CheckVerdict } from '../../routers/schemas/diagnostics.ts';

type Found = Partial<Record<CheckId, CheckVerdict>>;

test.each<[Found, CheckVerdict]>([
  [{}, 'unknown'],
  [{ resolves: 'pass', 'url-up': 'pass', hsts: 'unknown' }, 'pass'],
  [{ resolves: 'pass', 'url-up': 'pass', hsts: 'warn' }, 'warn'],
  [{ resolves: 'unknown', 'url-up': 'unknown', 'mixed-content': 'pass' }, 'unknown'],
  [{ resolves: 'pass', 'url-up': 'unknown', hsts: 'warn' }, 'unknown'],
  [{ resolves: 'unknown', 'url-up': 'fail' }, 'fail'],
])('a report of %j is as a whole: %s', (found, verdict) => {
  const checks = Object.entries(found).map(([id, one]) => ({ id: id as CheckId, verdict: one }));
  expect(reportVerdict(checks)).toBe(verdict);
});
