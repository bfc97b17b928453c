import { afterEach, expect, test, vi } from 'vitest';
import { Router } from 'wouter';
import { trpc } from '../../src/api/trpc.ts';
import { signInAs } from '../../src/api/user.ts';
import { aroundNavigation } from '../../src/lib/browser/location.ts';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { DeploymentEditorScreen } from '../../src/screens/deployment-editor.tsx';
import { writeEdits } from '../../src/uploads/stored-edits.ts';
import { type Answers, type ShownScreen, showScreen } from '../support/screen.tsx';
import { ada, allowanceOf, deploymentOf, releaseOf, releaseRefOf } from '../support/screen-fixtures.ts';

/** The browser's database, which happy-dom has none of. */
const { database } = vi.hoisted(() => ({ database: new Map<string, unknown>() }));
vi.mock('idb-keyval', () => ({
  createStore: () => database,
  get: async (key: string) => database.get(key),
  set: async (key: string, value: unknown) => void database.set(key, value),
  del: async (key: string) => void database.delete(key),
  delMany: async (keys: string[]) => keys.forEach((key) => void database.delete(key)),
  keys: async () => [...database.keys()],
  clear: async () => database.clear(),
}));

afterEach(() => {
  vi.unstubAllGlobals();
  database.clear();
});

const EDITOR = { pattern: '/deployment-editor/:deploymentId', path: '/deployment-editor/harbour' };
const CONFLICT = 'Your changes are based on';
const soon = (look: () => void) => vi.waitFor(look);
const pressed = (name: string) =>
  [...document.querySelectorAll('button')].findLast((one) => one.textContent === name)?.click();

/** Has `index.html` and, until release 3, `about.html` as well. */
function serveReleases(): void {
  signInAs(ada);
  const hash = 'a'.repeat(64);
  vi.stubGlobal('fetch', async (path: string) => {
    const rows = [
      ['index.html', hash, 1],
      ['style.css', hash, 1],
      ['about.html', hash, 1],
    ];
    if (path.includes('/manifest')) return Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] });
    if (path.includes('/releases/release-3/files')) return Response.json(rows.slice(0, 2));
    if (path.includes('/releases/release-2/files')) return Response.json(rows);
    return new Response('x');
  });
}

const liveSecond = deploymentOf({
  currentRelease: releaseRefOf({ number: 2 }),
  latestRelease: releaseRefOf({ number: 2 }),
  releaseCount: 2,
});
const running = releaseRefOf({ number: 3, state: 'verifying', finishedAt: null, liveSince: null });
const thirdRuns = deploymentOf({
  state: 'deploying',
  currentRelease: releaseRefOf({ number: 2 }),
  latestRelease: running,
});
const thirdLive = deploymentOf();
const thirdFailed = deploymentOf({
  currentRelease: releaseRefOf({ number: 2 }),
  latestRelease: { ...running, state: 'failed' },
});

/** Asks for the deployment again, as an event of the server does. */
function Renew() {
  const client = trpc.useUtils();
  return (
    <button type="button" onClick={() => void client.deployments.get.invalidate()}>
      Renew
    </button>
  );
}

function showEditor(answers: Answers): ShownScreen {
  const screen = (
    <Router aroundNav={aroundNavigation}>
      <DeploymentEditorScreen />
      <Renew />
    </Router>
  );
  return showScreen(screen, answers, EDITOR);
}

const filesIn = ({ page }: ShownScreen) =>
  [...page.querySelectorAll('[role=treeitem]')].map((item) => item.textContent);

async function removeFile({ page }: ShownScreen, name: string): Promise<void> {
  const find = () => [...page.querySelectorAll('[role=treeitem]')].find((item) => item.textContent?.startsWith(name));
  await soon(() => expect(find()).toBeDefined());
  find()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }));
  await soon(() => expect(find()).toBeUndefined());
}

/** Publishes release 3, without `about.html`, up to the answer of the server. */
async function publishThird(shown: ShownScreen): Promise<void> {
  await removeFile(shown, 'about.html');
  // Stored, as it is a moment after each change.
  await soon(() => expect(database.size).toBe(1));
  shown.button('Publish…').click();
  await soon(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Publish release 3'));
  pressed('Publish');
}

const answersOf = (answers: Answers): Answers => ({
  'subscription.allowance': () => allowanceOf(),
  'deployments.get': () => liveSecond,
  'releases.prepare': () => ({ uploadId: 'upload' }),
  'releases.create': () => releaseOf({ number: 3, state: 'queued' }),
  ...answers,
});

test.each([
  ['is still on its way', thirdRuns],
  ['is live', thirdLive],
])('after a release of its own that %s, the editor begins with its files and without changes', async (_, now) => {
  serveReleases();
  const answers = answersOf({});
  {
    using shown = showEditor(answers);
    answers['releases.create'] = () => {
      answers['deployments.get'] = () => now;
      return releaseOf({ number: 3, state: 'queued' });
    };
    await publishThird(shown);
    await shown.sees('Elsewhere');
  }
  // Leaving the screen does not store it again.
  await soon(() => expect(database.size).toBe(0));

  using shown = showEditor(answers);
  await shown.sees('No changes');
  expect(filesIn(shown)).toEqual(['index.html', 'style.css']);
  await removeFile(shown, 'style.css');
  answers['deployments.get'] = () => ({ ...thirdLive, url: 'http://renewed.test' });
  shown.button('Renew').click();
  await shown.sees('renewed.test');
  // Until it is known whether there is a conflict, it has another label.
  await soon(() => expect(shown.button('Publish…')).toBeDefined());
  expect(shown.page.textContent).not.toContain(CONFLICT);
});

test('after a reload before the answer, changes that became a release are over, and others are asked about', async () => {
  serveReleases();
  const answers = answersOf({ 'releases.create': () => new Promise(() => undefined) });
  {
    using shown = showEditor(answers);
    await publishThird(shown);
    await soon(() => expect(document.body.textContent).toContain('Publishing…'));
  }
  answers['deployments.get'] = () => thirdLive;
  {
    using shown = showEditor(answers);
    await shown.sees('No changes');
    expect(filesIn(shown)).toEqual(['index.html', 'style.css']);
  }
  answers['deployments.get'] = () => liveSecond;
  using shown = showEditor(answers);
  await removeFile(shown, 'style.css');
  answers['deployments.get'] = () => thirdLive;
  shown.button('Renew').click();
  await shown.sees(CONFLICT);
});

test('a release that failed leaves an editor without changes at the files of the live one', async () => {
  serveReleases();
  const answers = answersOf({ 'deployments.get': () => thirdRuns });
  using shown = showEditor(answers);
  await soon(() => expect(filesIn(shown)).toEqual(['index.html', 'style.css']));
  answers['deployments.get'] = () => thirdFailed;
  shown.button('Renew').click();
  await soon(() => expect(filesIn(shown)).toEqual(['about.html', 'index.html', 'style.css']));
});

test('what waits in the editor is told on the page of its deployment, which leads back to it', async () => {
  serveReleases();
  const answers = answersOf({ 'deployments.get': () => thirdLive });
  {
    using shown = showEditor(answers);
    await removeFile(shown, 'style.css');
    await soon(() => expect(database.size).toBe(1));
  }
  // An earlier version left no mark.
  localStorage.removeItem('fairlead.edits');
  {
    using _edited = showEditor(answers);
    await soon(() => expect(localStorage.getItem('fairlead.edits')).toBe('1'));
  }
  const place = { pattern: '/deployments/:deploymentId', path: '/deployments/harbour' };
  using shown = showScreen(<DeploymentScreen />, answers, place);
  await shown.sees('1 change in the editor, stored in this browser.');
  expect(shown.linkTo('Open the editor')).toBe('/deployment-editor/harbour');
});

test('edits that are stored are not told as lost where there is no room for their mark', async () => {
  using _full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(await writeEdits('harbour', {})).toBe(true);
});
