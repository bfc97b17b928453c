import { createHash } from 'node:crypto';
import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { RELEASE_STEPS } from '../../routers/schemas/states.ts';
import { trpc } from '../../src/api/trpc.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { PublishSection } from '../../src/features/deployments/manage/publish-section.tsx';
import { isFirstCancellable } from '../../src/features/releases/acts/use-cancel-first.ts';
import { ProgressSteps } from '../../src/features/releases/progress/progress-steps.tsx';
import { ReleaseSteps } from '../../src/features/releases/progress/release-steps.tsx';
import { sendingSteps } from '../../src/features/releases/progress/sending-steps.tsx';
import { stepGroupsOf, tookOf } from '../../src/features/releases/progress/step-groups.ts';
import { partTitle } from '../../src/features/releases/step-titles.ts';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { NewDeploymentScreen } from '../../src/screens/new-deployment.tsx';
import { setChosen } from '../../src/uploads/chosen-selections.ts';
import { type Sending, type SendingFailure, sendings } from '../../src/uploads/sendings.ts';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';
import {
  allowanceOf,
  deploymentOf,
  releaseDetailOf,
  releaseOf,
  releaseRefOf,
  secondsLater,
  sendingOf,
  stepOf,
} from '../support/screen-fixtures.ts';

const publication = sendingOf();
const { selection: harbour } = publication;
const failed: SendingFailure = {
  message: '',
  hint: undefined,
  isSelectionNeeded: false,
  isUnanswered: false,
  isSignedOut: false,
  isDeploymentGone: false,
  isConnectionLost: false,
};
afterEach(() => {
  vi.restoreAllMocks();
  clearToasts();
  sendings.set([]);
});

const QUEUED = RELEASE_STEPS.map((name) => stepOf({ name }));
const said = () => toasts.get().at(-1)?.description;

/** The page of the deployment that something is being sent to. */
function showSending(
  sent: Partial<Sending>,
  serving: ReturnType<typeof releaseRefOf> | null = releaseRefOf(),
  lostConnections: ReturnType<typeof deploymentOf>['lostConnections'] = [],
) {
  sendings.set([{ ...publication, deploymentId: 'harbour', isNew: false, ...sent }]);
  const answers: Answers = {
    'deployments.get': () => deploymentOf({ currentRelease: serving, lostConnections }),
    'subscription.allowance': () => allowanceOf(),
  };
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
  return showScreen(<DeploymentScreen />, answers, place);
}

test.each([
  [releaseRefOf(), false, 'Release 3 stays live. Your files are still chosen.'],
  [null, false, 'Nothing was published. Your files are still chosen.'],
  // Files that only the kept copy of an earlier page has are not given back, and nothing is said of them.
  [releaseRefOf(), true, 'Release 3 stays live.'],
])('cancelling what is being sent gives the files back, and says what is live', async (serving, isRestored, words) => {
  using shown = showSending({ isRestored }, serving);
  await shown.sees('Keep this tab open until the files are sent.');
  expect(shown.page.textContent).toContain('publish it on a hosting platform');
  expect(shown.linkTo('publish it on a hosting platform'), 'it would lead away from this page').toBeUndefined();
  // What is live meanwhile can be visited.
  expect(shown.linkTo('Visit')).toBe(serving === null ? undefined : publication.url);
  shown.button('Cancel').click();
  expect(said()).toBe(words);
});

test('an unchanged folder is an answer: the deployment shows as always, and a notice that can be dismissed', async () => {
  const failure = { ...failed, message: 'Nothing changed since release 3.' };
  const forget = vi.fn(() => sendings.set([]));
  using shown = showSending({ state: 'unchanged', failure, control: { ...publication.control, forget } });
  await shown.sees('Nothing changed since release 3.');
  expect(shown.page.querySelector('h1')?.textContent).toBe('harbour');
  expect(shown.page.textContent).not.toMatch(/Publishing|Try again|Cancel/);
  expect(shown.button('Publish anyway')).toBeDefined();
  shown.button('Dismiss').click();
  await vi.waitFor(() => expect(shown.page.textContent).not.toContain('Nothing changed'));
});

test('what is being sent names every platform that it goes to', async () => {
  const [here] = deploymentOf().destinations;
  const at = (state: 'live' | 'removing') => ({ id: state, platform: 'netlify', url: '', state, error: null }) as const;
  const shownPlatforms = async (destinations: ReturnType<typeof deploymentOf>['destinations']) => {
    sendings.set([{ ...publication, deploymentId: 'harbour', isNew: false }]);
    const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
    using shown = showScreen(<DeploymentScreen />, { 'deployments.get': () => deploymentOf({ destinations }) }, place);
    await shown.sees('Keep this tab open until the files are sent.');
    return shown.page.textContent?.match(/Platforms?Built-in host(, Netlify)?/)?.[0];
  };
  const primary = here ?? expect.fail('The deployment is nowhere');
  expect(await shownPlatforms([primary, at('live')])).toBe('PlatformsBuilt-in host, Netlify');
  expect(await shownPlatforms([primary, at('removing')])).toBe('PlatformBuilt-in host');
});

/** The page on which a first publication was started. */
function showFirst() {
  sendings.set([publication]);
  const place = { pattern: '/new-deployment', path: '/new-deployment?deployment=d' };
  return showScreen(<NewDeploymentScreen />, { 'deployments.get': () => deploymentOf() }, place);
}

test('cancelling a first publication says that nothing was published', async () => {
  using shown = showFirst();
  await shown.sees('Keep this tab open until the files are sent.');
  shown.button('Cancel').click();
  expect(said()).toBe('Nothing was published. Your files are still chosen.');
});

test('a release is one page from the first file on: its title, its address and its steps are there', async () => {
  using shown = showFirst();
  await shown.sees('Publishing Harbour');
  expect(shown.page.querySelector('h1')?.textContent).toBe('Release 1');
  expect(shown.page.querySelector('[aria-label="Publishing"]')?.textContent).toContain('harbour.localhost:3001');
  const sending = sendingSteps(publication).map(({ key, title }) => [key, title]);
  const steps = stepGroupsOf({ state: 'queued', finishedAt: null, steps: QUEUED, primaryId: '', destinations: [] });
  expect(steps.map(({ name, state }) => [name, partTitle(name, state)])).toEqual(sending);
});

test('the times of the parts add up to that of the release, where nobody noted how long a page sent', () => {
  const [preparing, verifying] = [
    stepOf({ name: 'preparing', state: 'done', startedAt: secondsLater(0), endedAt: secondsLater(2) }),
    stepOf({ name: 'verifying', state: 'done', startedAt: secondsLater(2), endedAt: secondsLater(5) }),
  ];
  const run = { state: 'live', finishedAt: secondsLater(6), ...{ primaryId: '', destinations: [] } } as const;
  const tookIn = (source: 'zip' | 'retry', steps = [preparing, verifying]) =>
    stepGroupsOf({ ...run, steps }).map((part) => tookOf(part, { ...run, steps, source }, secondsLater(9)));
  expect(tookIn('zip')).toEqual([null, '5.0 s', '1.0 s']);
  expect(tookIn('retry')).toEqual(['2.0 s', '3.0 s', '1.0 s']);
});

test('a ZIP that came whole is not told by what was new in it', async () => {
  const counted = { total: 3, totalBytes: 429, doneBefore: 1, doneBytesBefore: 200 };
  const steps = [stepOf({ name: 'uploading', state: 'done', ...counted })];
  const release = (source: 'zip' | 'folder') => releaseDetailOf({ source, steps });
  for (const [source, words] of [
    ['folder', '2 of 3 files sent, 229 B'],
    ['zip', '3 files in place, 429 B'],
  ] as const) {
    using shown = showScreen(<ReleaseSteps release={release(source)} />, {});
    await shown.sees(words);
  }
});

test('each part has its own lines, although a rollback writes into the step of the first check', () => {
  const finishedAt = secondsLater(10);
  const lineAt = (seconds: number, text: string) => ({ at: secondsLater(seconds), text });
  const log = [lineAt(9, 'Checked'), lineAt(60, 'An earlier rollback'), lineAt(90, 'Switched back')];
  const verifying = stepOf({ name: 'verifying', state: 'done', startedAt: secondsLater(90), log });
  const linesOf = (steps: (typeof verifying)[]) =>
    stepGroupsOf({ state: 'live', finishedAt, steps, primaryId: '', destinations: [] }).map((part) =>
      part.log.map(({ text }) => text),
    );
  expect(linesOf([verifying])).toEqual([[], ['Checked'], ['Switched back']]);
  const first = { ...verifying, startedAt: secondsLater(8), log: log.slice(0, 1) };
  expect(linesOf([first])).toEqual([[], ['Checked'], []]);
});

test('what was given back stands where the files are chosen, ready to be published', async () => {
  setChosen('harbour', harbour);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 404 }));
  using shown = showScreen(<PublishSection deployment={deploymentOf()} isReadOnly={false} />, {});
  await shown.sees('Release 3 stays live until the new one has been checked.');
  expect(shown.page.querySelector('[aria-label="Folder harbour"]')).not.toBe(null);
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
});

test('files that are live already are promised no release', async () => {
  setChosen('harbour', harbour);
  const sha256 = createHash('sha256').update('<h1>Harbour</h1>').digest('hex');
  const live = [['index.html', sha256, 16]];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(live));
  using shown = showScreen(<PublishSection deployment={deploymentOf()} isReadOnly={false} />, {});
  await shown.sees('Release 3 has these files already.');
  expect(shown.page.textContent).toContain('No file changed.');
  expect(shown.button('Publish anyway').dataset.variant).toBe('secondary');
});

test('a packed site leads to the folder chooser, and a site in an inner folder is taken out of the one around it', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 404 }));
  const opened = vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(() => {});
  const choose = (path: string) =>
    setChosen('harbour', { name: 'harbour', files: [{ path, file: new File(['x'], path) }] });
  choose('site.zip');
  using shown = showScreen(<PublishSection deployment={deploymentOf()} isReadOnly={false} />, {});
  await shown.sees('The site seems to be packed in site.zip.');
  flushSync(() => shown.button('Choose a folder').click());
  expect(opened.mock.contexts).toEqual([shown.page.querySelector('input[webkitdirectory]')]);
  choose('notes/site/bakery🏴\u{e0067}/index.html');
  await shown.sees('The start page is in the folder “site/bakery🏴\\u{e0067}”.');
  // A mark that nobody sees is told as it is written.
  flushSync(() => shown.button('Use site/bakery🏴\\u{e0067} instead').click());
  await shown.sees('Start page index.html');
});

test('before most of a site is removed a person is asked, also where its files cannot be read', async () => {
  const film = new File(['film'], 'film.mp4');
  vi.spyOn(film, 'arrayBuffer').mockRejectedValue(new Error('The file is gone.'));
  const page = { path: 'index.html', file: new File(['<h1>Harbour</h1>'], 'index.html') };
  setChosen('harbour', { name: 'harbour', files: [page, { path: 'film.mp4', file: film }] });
  const live = ['boats.html', 'film.mp4', 'menu.html', 'pier.html'].map((path) => [path, 'a'.repeat(64), 4]);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(live));
  using shown = showScreen(<PublishSection deployment={deploymentOf()} isReadOnly={false} />, {});
  await shown.sees('Release 3 stays live until the new one has been checked.');
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await vi.waitFor(() =>
    expect(document.querySelector('[role=alertdialog]')?.textContent).toContain('Remove 3 of 4 files?'),
  );
  expect(shown.page.textContent).not.toContain('removed:');
});

const hashed = (text: string) => createHash('sha256').update(text).digest('hex');
const LISTED = [4, 3, 2].map((number) =>
  releaseOf({ number, state: number === 4 ? 'live' : 'superseded', source: number === 2 ? 'zip' : 'editor' }),
);
const NAMED = (since: string) =>
  `Changed in Fairlead’s editor${since}: menu.html. What you chose differs from that, and replaces it. Release 4 is kept, and`;
const UNNAMED = 'Release 4 was made in Fairlead’s editor, and what you chose replaces it. It is kept, and you can';
const AGAINST_2 = [{ releaseId: 'release-4', against: 'release-2' }];

test.each([
  ['since files were published', { first: 3, next: null, isCompared: true }, NAMED(' since release 2'), AGAINST_2],
  ['on a site with a long history', { first: 2, next: 'more', isCompared: true }, NAMED(' since release 2'), AGAINST_2],
  ['on a site that was begun here', { first: 2, next: null, isCompared: true }, NAMED(''), []],
  ['where the edits are not told', { first: 3, next: null, isCompared: false }, UNNAMED, AGAINST_2],
])('before a folder replaces what was edited here a person is asked: %s', async (_, given, text, against) => {
  const { first, next, isCompared } = given;
  const files = [
    { path: 'index.html', file: new File(['same'], 'index.html') },
    { path: 'menu.html', file: new File(['old!'], 'menu.html') },
  ];
  setChosen('harbour', { name: 'harbour', files });
  const live = [
    ['index.html', hashed('same'), 4],
    ['menu.html', hashed('new!'), 4],
  ];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(live));
  const asked: unknown[] = [];
  const answers: Answers = {
    'releases.list': (input) => {
      const isFirst = (input as { cursor?: string }).cursor === undefined;
      const items = isFirst ? LISTED.slice(0, first) : LISTED.slice(first);
      return { items, rollBacks: [], nextCursor: isFirst ? next : null };
    },
    'releases.diff': (input) => {
      asked.push(input);
      if (!isCompared) return refusal('rate_limited', 'Too many requests.');
      return { previousNumber: 2, added: [], changed: [{ path: 'menu.html', sizeBytes: 4 }], removed: [] };
    },
  };
  const currentRelease = releaseRefOf({ number: 4, source: 'editor' });
  using shown = showScreen(
    <PublishSection deployment={deploymentOf({ currentRelease })} isReadOnly={false} />,
    answers,
  );
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await vi.waitFor(() => expect(document.querySelector('[role=alertdialog]')?.textContent).toContain(text));
  expect(asked).toEqual(against);
});

test('where the list of what is live cannot be read a person is asked as well', async () => {
  setChosen('harbour', harbour);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 404 }));
  using shown = showScreen(<PublishSection deployment={deploymentOf()} isReadOnly={false} />, {});
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await vi.waitFor(() =>
    expect(document.querySelector('[role=alertdialog]')?.textContent).toContain('without a comparison?'),
  );
});

test.each([
  ['#publish', 'Folder to publish'],
  ['#publish-zip', 'ZIP to publish'],
])('who presses a link to %s has the chooser opened', (hash, input) => {
  const opened: (string | null)[] = [];
  vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(function (this: HTMLInputElement) {
    opened.push(this.getAttribute('aria-label'));
  });
  vi.stubGlobal('navigator', Object.create(navigator, { userActivation: { value: { isActive: true } } }));
  const place = { pattern: '/deployments/:deploymentId', path: `/deployments/harbour${hash}` };
  using _shown = showScreen(<PublishSection deployment={deploymentOf()} isReadOnly={false} />, {}, place);
  vi.unstubAllGlobals();
  expect(opened).toEqual([input]);
});

test('files that were chosen for a deployment that is deleted elsewhere go on to a new one', async () => {
  setChosen('harbour', harbour);
  const answers: Answers = {
    'deployments.get': () => deploymentOf({ state: 'deleting' }),
    'subscription.allowance': () => allowanceOf(),
  };
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
  using shown = showScreen(<DeploymentScreen />, answers, place);
  await shown.sees('harbour was deleted');
  expect(shown.page.textContent).toContain('Your files were not published. They are still chosen.');
  shown.button('Publish as a new deployment').click();
  await vi.waitFor(() => expect(location.pathname).toBe('/new-deployment'));
});

test('what is refused says why, and what a platform refuses before anything is sent leads to its token first', async () => {
  const failure = { ...failed, message: 'Netlify does not accept this token.', isConnectionLost: true };
  const lost = { destinationId: 'd', provider: 'netlify', connectionId: 'c', message: failure.message } as const;
  using shown = showSending({ state: 'failed', failure }, releaseRefOf(), [lost]);
  await shown.sees('Replace tokenTry again');
  // Nothing turns any more: the reason would be below it on a phone.
  expect(shown.page.querySelector('[aria-label="Publishing"]')).toBe(null);
  expect(shown.page.textContent).toContain('Failed');
  expect(shown.page.querySelector('[aria-label="Stopped"] h2')?.textContent).toBe('Harbour was not published');
  expect(shown.page.textContent).toContain(failure.message);
  expect(shown.page.textContent).toContain('Release 3 is still live.');
  expect(shown.page.textContent).not.toMatch(/Keep this tab open|stays live/);
  expect(shown.linkTo('Replace token')).toBe('/settings?replace=c');
});

test('the number of a coming release stays the same while the server, which has made it, still answers', async () => {
  sendings.set([{ ...publication, deploymentId: 'harbour', isNew: false, state: 'creating' }]);
  let made: Partial<ReturnType<typeof deploymentOf>> = { releaseCount: 0 };
  const answers: Answers = { 'deployments.get': () => deploymentOf({ currentRelease: null, ...made }) };
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
  function Told() {
    const { deployments } = trpc.useUtils();
    return (
      <button type="button" onClick={() => void deployments.get.invalidate()}>
        Told
      </button>
    );
  }
  const screen = (
    <>
      <DeploymentScreen />
      <Told />
    </>
  );
  using shown = showScreen(screen, answers, place);
  await shown.sees('Release 1');
  made = { releaseCount: 1, platform: 'netlify' };
  shown.button('Told').click();
  await shown.sees('Netlify');
  expect(shown.page.querySelector('h1')?.textContent).toBe('Release 1');
});

test('the steps of a first publication that was stopped promise nothing', async () => {
  sendings.set([{ ...publication, state: 'failed', failure: { ...failed, message: 'Your account is full.' } }]);
  const steps = <ProgressSteps deploymentId={publication.deploymentId} mayChange onStartAgain={vi.fn()} next={null} />;
  using shown = showScreen(steps, { 'deployments.get': () => deploymentOf() });
  await shown.sees('was not publishedYour account is full.');
  expect(shown.page.textContent).not.toMatch(/Keep this tab open|live once/);
});

test('what was being sent to a deployment that is gone is said on its page', async () => {
  const failure = { ...failed, message: 'This deployment does not exist.', isDeploymentGone: true };
  sendings.set([{ ...publication, deploymentId: 'harbour', isNew: false, state: 'failed', failure }]);
  const answers: Answers = { 'deployments.get': () => refusal('not_found', 'This deployment does not exist.') };
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
  using shown = showScreen(<DeploymentScreen />, answers, place);
  await shown.sees('Harbour was deleted');
  sendings.set([]);
});

test('the page that was sending to a deployment that is gone offers no cancelling, and promises nothing', async () => {
  const failure = { ...failed, message: 'This deployment does not exist.', isDeploymentGone: true };
  using shown = showSending({ state: 'failed', failure });
  await shown.sees('Harbour was deleted');
  expect(shown.page.textContent).not.toMatch(/Cancel|Visitors will see|Release 4/);
  expect(shown.button('Publish as a new deployment')).toBeDefined();
  const first = { ...publication, state: 'failed', failure } as const;
  expect(isFirstCancellable(first)).toBe(false);
  expect(sendingSteps(first)).toHaveLength(1);
});

test('without a network every step of sending says at once what it waits for', async () => {
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  using shown = showFirst();
  await shown.sees('Waiting for the network');
  isOnline.mockReturnValue(true);
  window.dispatchEvent(new Event('online'));
  await vi.waitFor(() => expect(shown.page.textContent).not.toContain('Waiting for the network'));
});
