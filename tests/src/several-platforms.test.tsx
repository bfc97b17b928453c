import { expect, test } from 'vitest';
import { RELEASE_STEPS } from '../../routers/schemas/states.ts';
import { DeploymentRows } from '../../src/features/deployments/manage/deployment-rows.tsx';
import { DeploymentTable } from '../../src/features/deployments/manage/deployment-table.tsx';
import { ReleaseSteps } from '../../src/features/releases/progress/release-steps.tsx';
import { SendingRelease } from '../../src/features/releases/progress/sending-release.tsx';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseDetailOf, secondsLater, sendingOf, stepOf } from '../support/screen-fixtures.ts';

const [here] = deploymentOf().destinations;
const error = { code: 'credentials_invalid', message: 'Vercel does not accept the token.', hint: null, raw: null };
const destinations = [
  here ?? expect.fail('The deployment is nowhere'),
  { id: 'netlify', platform: 'netlify', url: 'https://harbour.netlify.app', state: 'publishing', error: null } as const,
  { id: 'vercel', platform: 'vercel', url: '', state: 'failed', error } as const,
];

/** Positions say nothing: the primary destination is known by its id. */
function primaryLast<Of extends { id: string }>(given: readonly Of[]) {
  return { primaryId: given[0]?.id ?? '', destinations: [...given.slice(1), ...given.slice(0, 1)] };
}

test('lists say on how many platforms a deployment is, and name each with its state in the room of one', () => {
  const deployments = [deploymentOf({ destinations }), deploymentOf({ name: 'alone' })];
  for (const List of [DeploymentTable, DeploymentRows]) {
    using shown = showScreen(<List deployments={deployments} isReadOnly={() => false} />, {});
    const all = 'Built-in host: Live, Netlify: Publishing, Vercel: Failed';
    const textOf = (part: string) => shown.page.querySelector(`[title="${all}"] > ${part}`)?.textContent;
    expect([textOf('[aria-hidden="true"]'), textOf('.sr-only')]).toEqual(['Built-in host +2', all]);
    expect(shown.page.textContent?.match(/Built-in host(?![: ])/g)).toHaveLength(1);
  }
});

test('the page of a deployment names every platform in its head, and lists each with its state', async () => {
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
  const deployment = deploymentOf(primaryLast(destinations));
  using shown = showScreen(<DeploymentScreen />, { 'deployments.get': () => deployment }, place);
  await shown.sees('Vercel does not accept the token.');
  expect(shown.page.querySelector('header')?.textContent).toMatch(/NetlifyVercelBuilt-in host/);
  const rows = shown.page.querySelectorAll('[aria-label="Platforms"] li');
  expect(Array.from(rows, (one) => one.textContent)).toEqual([
    expect.stringMatching(/^NetlifyPublishing/),
    expect.stringMatching(/^VercelFailed.*Vercel does not accept the token\./),
    expect.stringMatching(/^Built-in hostLivePrimary/),
  ]);
});

test('a release names every platform that it goes to, with its state, its steps and its log', async () => {
  const place = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/harbour/releases/3' };
  using shown = showScreen(
    <ReleaseScreen />,
    {
      'releases.get': () =>
        releaseDetailOf({
          ...primaryLast(destinations.map((one) => ({ ...one, missingLinks: [] }))),
          steps: RELEASE_STEPS.map((name) => stepOf({ name, state: 'done', ...FOR_7_S })),
          furtherSteps: [
            { destinationId: 'netlify', steps: [...sent, stepOf({ name: 'verifying', state: 'running' })] },
            {
              destinationId: 'vercel',
              steps: [stepOf({ name: 'preparing', state: 'failed', log: [{ at: new Date(), text: 'Begun' }] })],
            },
          ],
        }),
    },
    place,
  );
  await shown.sees('Built-in host');
  const platforms = shown.page.querySelectorAll('[aria-label="Platforms of this release"] > li');
  expect(Array.from(platforms, (one) => one.textContent)).toEqual([
    expect.stringMatching(/^NetlifyPublishing.*Sent7\.0 s.*Log.*Checking.*Switch on/),
    expect.stringMatching(/^VercelFailedVercel does not accept the token\..*Send/),
    // The page began to send before the server's first step: nobody knows how long all of it took.
    expect.stringMatching(/^Built-in hostLive.*Sent(?!7\.0 s).*Checked7\.0 s.*Switched on/),
  ]);
  // Folded even where it failed: the cause is said above it.
  expect(shown.page.textContent).not.toContain('Begun');
  shown.page.querySelector<HTMLElement>('[aria-label="Log of Sent, 1 line"]')?.click();
  await shown.sees('app.js');
});

test('where the server sends the files on, the time of that is told, as it is counted in that of the release', async () => {
  const [, netlify] = destinations.map((one) => ({ ...one, state: 'live' as const, missingLinks: [] }));
  const place = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/harbour/releases/3' };
  const release = releaseDetailOf({ destinations: netlify ? [netlify] : [], platform: 'netlify', steps: sent });
  using shown = showScreen(<ReleaseScreen />, { 'releases.get': () => release }, place);
  await shown.sees('Sent7.0 s');
});

test('with several platforms the frame of a release is the same while this page sends and when the server goes on', async () => {
  const [first, second] = destinations.map((one) => ({ ...one, missingLinks: [], error: null }));
  if (first === undefined || second === undefined) expect.fail('There are two platforms.');
  const queued = RELEASE_STEPS.map((name) => stepOf({ name }));
  const release = releaseDetailOf({
    state: 'queued',
    finishedAt: null,
    destinations: [
      { ...first, state: 'publishing' },
      { ...second, state: 'idle' },
    ],
    steps: queued,
    furtherSteps: [{ destinationId: second.id, steps: queued }],
  });
  const frameOf = (page: HTMLElement) =>
    Array.from(page.querySelectorAll('[aria-label="Platforms of this release"] > li'), (one) => [
      one.querySelector('h3')?.textContent,
      ...Array.from(one.querySelectorAll('ol > li p'), ({ textContent }) => textContent),
    ]);
  const frame = [
    ['Built-in hostPublishing', 'Sending', 'Check', 'Switch on'],
    ['NetlifyNot published yet', 'Send', 'Check', 'Switch on'],
  ];
  using sending = showScreen(
    <SendingRelease
      sending={sendingOf()}
      number={3}
      platform={first.platform}
      others={[second.platform]}
      serving={null}
      onCancel={null}
      onReplace={() => undefined}
    />,
    {},
  );
  expect(frameOf(sending.page)).toEqual(frame);
  using steps = showScreen(<ReleaseSteps release={release} />, {});
  expect(frameOf(steps.page)).toEqual(frame);
});

const FOR_7_S = { startedAt: secondsLater(0), endedAt: secondsLater(7) };
const sent = [
  stepOf({ name: 'preparing', state: 'done', ...FOR_7_S }),
  stepOf({ name: 'uploading', state: 'done', ...FOR_7_S, log: [{ at: new Date(), text: 'app.js' }] }),
  stepOf({ name: 'processing', state: 'done' }),
];
