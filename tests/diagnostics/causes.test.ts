import { expect, test } from 'vitest';
import { CHECK_IDS, type CheckId, type CheckResult, type CheckVerdict } from '../../routers/schemas/diagnostics.ts';
import type { Check, Subject, Tools } from '../../server/diagnostics/checks/check.ts';
import { runChecks } from '../../server/diagnostics/checks/run.ts';

/** Runs all checks, of which these fail and the others pass, and returns their results. */
async function resultsOf(...failing: CheckId[]): Promise<CheckResult[]> {
  const verdictOf = (id: CheckId): CheckVerdict => (failing.includes(id) ? 'fail' : 'pass');
  const checks = CHECK_IDS.map(
    (id): Check => ({ id, why: '', run: async () => ({ verdict: verdictOf(id), seen: '' }) }),
  );
  const results: CheckResult[] = [];
  for await (const { result } of runChecks(checks, {} as Subject, () => ({}) as Tools)) results.push(result);
  return results;
}

/** Returns the cause that each of the failing checks names. */
async function causesOf(...failing: CheckId[]): Promise<Partial<Record<CheckId, CheckId | null>>> {
  const causes: Partial<Record<CheckId, CheckId | null>> = {};
  for (const result of await resultsOf(...failing)) {
    if (result.verdict === 'fail') causes[result.id] = result.because;
    else expect(result.because).toBeNull();
  }
  return causes;
}

test('a check that fails beside another one is not because of it', async () => {
  expect(await causesOf('ttl', 'certificate')).toEqual({ ttl: null, certificate: null });
  expect(await causesOf('hsts', 'mixed-content', 'reply-time', 'email-untouched')).toEqual({
    ...{ hsts: null, 'mixed-content': null, 'reply-time': null, 'email-untouched': null },
  });
  // Where the name leads says nothing about the records beside its address.
  expect(await causesOf('resolves', 'ttl', 'caa')).toEqual({ resolves: null, ttl: null, caa: null });
});

test('a check follows from the earliest that explains it', async () => {
  expect(await causesOf('resolves', 'certificate')).toEqual({ resolves: null, certificate: 'resolves' });
  expect(await causesOf('ttl', 'port-80', 'certificate', 'url-up', 'hsts')).toEqual({
    ...{ ttl: null, 'port-80': null, certificate: 'port-80', 'url-up': 'port-80', hsts: 'certificate' },
  });
  expect(await causesOf('dnssec', 'resolves', 'email-untouched')).toEqual({
    ...{ dnssec: null, resolves: 'dnssec', 'email-untouched': 'dnssec' },
  });
});

test('nothing passes of a name that cannot be found', async () => {
  const verdicts = new Set((await resultsOf('delegation')).map(({ verdict }) => verdict));
  expect([...verdicts]).toEqual(['fail', 'unknown']);
});
