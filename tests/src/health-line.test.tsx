import { expect, test } from 'vitest';
import type { DeploymentHealth } from '../../routers/schemas/diagnostics.ts';
import { HealthLine } from '../../src/features/diagnostics/health-line.tsx';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseRefOf, secondsLater, shownAt } from '../support/screen-fixtures.ts';

function show(...checks: DeploymentHealth['checks']) {
  const health = { deploymentId: 'harbour', checks, checkedAt: secondsLater(2), nextCheckAt: secondsLater(600) };
  return showScreen(<HealthLine deployment={deploymentOf({ id: 'harbour', name: 'Harbour' })} health={health} />, {});
}

test('what is wrong is said in words, with the way to what to do', () => {
  using shown = show(
    { id: 'resolves', verdict: 'pass', seen: 'shop.test leads here.' },
    { id: 'certificate', verdict: 'warn', seen: 'The certificate should have been renewed by now.' },
    { id: 'url-up', verdict: 'fail', seen: 'https://shop.test does not answer in time.' },
  );
  expect([...shown.page.querySelectorAll('p')].map(({ textContent }) => textContent)).toEqual([
    'The certificate should have been renewed by now.',
    'https://shop.test does not answer in time.',
  ]);
  expect(shown.linkTo('See what to do about Harbour')).toBe('/diagnostics?deployment=harbour');
});

test('what passes, or could not be told, takes one line', () => {
  using shown = show(
    { id: 'certificate', verdict: 'pass', seen: 'The certificate is valid.' },
    { id: 'url-up', verdict: 'unknown', seen: 'https://shop.test cannot be reached from here.' },
  );
  expect(shown.rows('Checks of Harbour')).toEqual(['SSL certificate: pass', 'Deployment URL: no result']);
  expect(shown.page.querySelectorAll('p, a')).toHaveLength(0);
});

test('until a look at the release came back, its address has no diagnostics since it went live', () => {
  const deployment = deploymentOf({ name: 'Harbour', currentRelease: releaseRefOf({ liveSince: secondsLater(60) }) });
  const up = { id: 'url-up' as const, verdict: 'pass' as const, seen: 'It answers 200.' };
  const resolves = { id: 'resolves' as const, verdict: 'pass' as const, seen: 'shop.test leads here.' };
  const known = { deploymentId: 'harbour', checkedAt: shownAt, nextCheckAt: secondsLater(600) };
  for (const health of [undefined, { ...known, checks: [up] }]) {
    using live = showScreen(<HealthLine deployment={deployment} health={health} />, {});
    expect(live.page.textContent).toContain('No diagnostics since it went live');
    expect(live.page.textContent).not.toContain('Deployment URL');
    // The name of the same act on the page of diagnostics.
    live.button('Check Harbour');
  }
  using republished = showScreen(
    <HealthLine deployment={deployment} health={{ ...known, checks: [resolves, up] }} />,
    {},
  );
  expect(republished.rows('Checks of Harbour')).toEqual([
    'DNS resolution: pass',
    'Deployment URL: no diagnostics since it went live',
  ]);
  using draft = showScreen(<HealthLine deployment={deploymentOf({ currentRelease: null })} health={undefined} />, {});
  expect(draft.page.textContent).toBe('Nothing to check yet');
});
