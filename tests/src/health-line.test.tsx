import { expect, test } from 'vitest';
import type { DeploymentHealth } from '../../routers/schemas/diagnostics.ts';
import { HealthLine } from '../../src/features/diagnostics/health-line.tsx';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseRefOf, secondsLater, shownAt } from '../support/screen-fixtures.ts';

function show(...checks: DeploymentHealth['checks']) {
  const health = { deploymentId: 'harbour', checks, checkedAt: shownAt, nextCheckAt: secondsLater(600) };
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
  expect(shown.rows('Checks of Harbour')).toEqual(['SSL valid: yes', 'Deployment URL up: not known']);
  expect(shown.page.querySelectorAll('p, a')).toHaveLength(0);
});

test('before the first check the release counts, which was seen when it went live', () => {
  const deployment = deploymentOf({ name: 'Harbour', currentRelease: releaseRefOf({ liveSince: shownAt }) });
  using live = showScreen(<HealthLine deployment={deployment} health={undefined} />, {});
  expect(live.rows('Checks of Harbour')).toEqual(['Deployment URL up: yes']);
  expect(live.page.querySelector('time')?.getAttribute('datetime')).toBe(shownAt.toISOString());
  // The name of the same act on the page of diagnostics.
  live.button('Check Harbour');

  using draft = showScreen(<HealthLine deployment={deploymentOf({ currentRelease: null })} health={undefined} />, {});
  expect(draft.page.textContent).toBe('Nothing to check yet');
});
