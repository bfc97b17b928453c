import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import type { LostConnection } from '../../routers/schemas/deployments.ts';
import { LostConnectionNotices } from '../../src/features/deployments/manage/lost-connection-notices.tsx';
import { useReleaseActs } from '../../src/features/releases/acts/use-release-acts.ts';
import { LatestNotice } from '../../src/features/releases/latest-notice.tsx';
import { ReleaseOutcome } from '../../src/features/releases/progress/release-outcome.tsx';
import { AddressPanel, FailedPanel } from '../../src/features/releases/progress/release-panels.tsx';
import { type Answers, type ShownScreen, showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseDetailOf, releaseRefOf } from '../support/screen-fixtures.ts';

function show(raw: string | null, message = 'It does not answer.') {
  const page = document.createElement('main');
  const root = createRoot(page);
  const error = { code: 'platform_down', message, hint: 'It is tried again.', raw };
  const release = releaseDetailOf({ state: 'failed', error, servingNumber: 2 });
  flushSync(() => root.render(<FailedPanel release={release} action={<p>Try again</p>} />));
  return { page, toggle: () => page.querySelector('button'), [Symbol.dispose]: () => root.unmount() };
}

test('what a platform answered is shown on demand, as text', () => {
  using panel = show('HTTP 502\nBad <b>gateway</b>');
  expect(panel.page.textContent).not.toContain('HTTP 502');
  flushSync(() => panel.toggle()?.click());
  const answer = panel.page.querySelector('pre');
  expect(answer?.textContent).toBe('HTTP 502\nBad <b>gateway</b>');
  expect(panel.toggle()?.getAttribute('aria-controls')).toBe(answer?.id);
  flushSync(() => panel.toggle()?.click());
  expect(panel.page.querySelector('pre')).toBe(null);
});

test('a failure without an answer offers none', () => {
  using panel = show(null);
  expect(panel.page.textContent).toContain('It does not answer.');
  expect(panel.toggle()).toBe(null);
});

test('an address in what went wrong can be followed', () => {
  using panel = show(null, 'https://harbour.netlify.app/app.js does not match the file that was uploaded.');
  expect(panel.page.querySelector('a')?.getAttribute('href')).toBe('https://harbour.netlify.app/app.js');
});

const LOST: LostConnection = {
  destinationId: 'harbour-here',
  provider: 'netlify',
  connectionId: 'netlify-1',
  message: 'Netlify does not accept the token.',
};

function deploymentIs(...lostConnections: LostConnection[]): Answers {
  return { 'deployments.get': () => deploymentOf({ lostConnections }) };
}

function Outcome({ of = { state: 'failed', platform: 'netlify' } }: { of?: Parameters<typeof releaseDetailOf>[0] }) {
  const { retry } = useReleaseActs();
  const release = releaseDetailOf(of);
  return <ReleaseOutcome release={release} retry={retry} mayChange />;
}

function Latest() {
  const latest = releaseRefOf({ state: 'failed', errorMessage: 'Netlify does not accept the token.' });
  return (
    <>
      <LostConnectionNotices deployment={deploymentOf({ lostConnections: [LOST] })} />
      <LatestNotice
        deploymentId="harbour"
        platform="netlify"
        latest={latest}
        serving={null}
        isWaiting={false}
        isReadOnly={false}
      />
    </>
  );
}

function primaryOf({ page }: ShownScreen): string[] {
  return [...page.querySelectorAll('[data-variant="primary"]')].map((one) => one.textContent ?? '');
}

test.each([
  ['the page of a release', <Outcome key="outcome" />],
  ['the page of its deployment', <Latest key="latest" />],
])('on %s a token that is not accepted is replaced before anything is tried again', async (_where, screen) => {
  using shown = showScreen(screen, deploymentIs(LOST));
  await shown.sees('Replace token');
  expect(shown.linkTo('Replace token')).toBe('/settings?replace=netlify-1');
  expect(primaryOf(shown)).toEqual(['Replace token']);
  expect(shown.button('Try again').dataset.variant).toBe('secondary');
});

test('what was lost at another platform is not what a release failed for', async () => {
  let isAnswered = false;
  const get = () => {
    isAnswered = true;
    return deploymentOf({ lostConnections: [{ ...LOST, destinationId: 'elsewhere' }] });
  };
  using shown = showScreen(<Outcome />, { 'deployments.get': get });
  await shown.sees('Try again');
  await expect.poll(() => isAnswered).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(shown.linkTo('Replace token')).toBeUndefined();
  expect(shown.button('Try again').dataset.variant).toBe('primary');
});

test.each([
  ['http://harbour.localhost:3001', '/deployments/harbour?tab=settings#platforms'],
  ['https://harbour.sites.example', undefined],
])('of a site at %s it is said where a platform is added, if only this computer can open it', (url, path) => {
  const { deploymentId, deploymentName, platform } = releaseDetailOf();
  const panel = { deploymentId, deploymentName, platform, url };
  using shown = showScreen(<AddressPanel {...panel} />, {});
  expect(shown.linkTo('publish it on a hosting platform')).toBe(path);
});

test.each([
  [2, true],
  [null, false],
])('while it is published, the site can be visited if release %s is live', (servingNumber, isThere) => {
  using shown = showScreen(<Outcome of={{ state: 'uploading', servingNumber }} />, {});
  expect(shown.linkTo('Visit') !== undefined).toBe(isThere);
});
