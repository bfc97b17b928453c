import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { expect, test, vi } from 'vitest';
import { Router } from 'wouter';
import { signInAs } from '../../src/api/user.ts';
import { PreviewPane } from '../../src/features/deployments/edit/preview-pane.tsx';
import { aroundNavigation } from '../../src/lib/browser/location.ts';
import { DeploymentEditorScreen } from '../../src/screens/deployment-editor.tsx';
import { type Answers, refusal, type ShownScreen, showScreen, submit, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseOf, releaseRefOf, shownAt } from '../support/screen-fixtures.ts';

const EDITOR = { pattern: '/deployment-editor/:deploymentId', path: '/deployment-editor/harbour' };
const HASH = 'a'.repeat(64);
const ELSEWHERE = 'These files are open in another tab as well';
const onPro: Answers = { 'subscription.allowance': () => allowanceOf() };

type Rows = readonly (readonly [string, string, number])[];

/** The server's own list and one text, in place of the network. */
function serveFiles(
  rows: Rows,
  text: string | Record<string, string> = '',
  /** The files of other releases than the live one, by their id. */
  ofOthers: Record<string, Rows> = {},
): void {
  const user = { id: 'sailor', username: 'sailor', email: 's@example.com', emailConfirmed: true, pendingEmail: null };
  const more = { disclaimerAccepted: true, deploymentCount: 2, isBetaTester: false, createdAt: shownAt };
  signInAs({ ...user, ...more, accessToken: 'token', expiresAt: new Date(Date.now() + 3_600_000) });
  vi.stubGlobal('fetch', async (path: string) => {
    const [, listed] = /releases\/([^/]+)\/files$/.exec(path) ?? [];
    if (listed !== undefined) return new Response(JSON.stringify(ofOthers[listed] ?? rows));
    const [, hash] = path.split('/files/');
    if (hash === undefined) return new Response('null');
    return new Response(typeof text === 'string' ? text : text[hash]);
  });
}

test('the editor of a deployment that is not there, or of another account, says so and leads to the others', async () => {
  const answers: Answers = { 'deployments.get': () => refusal('not_found', 'There is no such deployment.') };
  using shown = showScreen(<DeploymentEditorScreen />, answers, EDITOR);
  await shown.sees('This deployment does not exist');
  expect([...shown.page.querySelectorAll('button')].map((button) => button.textContent)).toEqual(['Show details']);
  expect(shown.linkTo('Active Deployments')).toBe('/deployments');
});

test('the editor opens the start page of what is live, with the tree beside it', async () => {
  serveFiles(
    [
      ['css/site.css', HASH, 9],
      ['index.html', HASH, 16],
    ],
    '<h1>Harbour</h1>',
  );
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await shown.sees('No changes');
  await soon(() => expect(shown.page.querySelector('[role=textbox]')?.textContent).toContain('Harbour'));
  const tree = [...shown.page.querySelectorAll('[role=treeitem]')].map((item) => item.textContent);
  expect(tree).toEqual(['css', 'index.html']);
  expect(shown.button('Publish…').disabled).toBe(true);
});

test('the files of another release than the live one are named with both', async () => {
  serveFiles([['index.html', HASH, 16]]);
  const live = deploymentOf({ currentRelease: releaseRefOf({ number: 1 }) });
  const answers = { ...onPro, 'deployments.get': () => live, 'releases.get': () => releaseOf({ number: 2 }) };
  using shown = showScreen(<DeploymentEditorScreen />, answers, { ...EDITOR, path: `${EDITOR.path}?release=2` });
  await shown.sees('Files of release 2; release 1 is live.');
});

test('where nothing was published there is a place for the first file, and without a plan for none', async () => {
  const empty = deploymentOf({ state: 'draft', currentRelease: null, latestRelease: null, releaseCount: 0 });
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => empty }, EDITOR);
  await shown.sees('No files yet.');
  expect(shown.button('New file').disabled).toBe(false);

  serveFiles([['about.html', HASH, 16]]);
  const free = {
    'subscription.allowance': () => allowanceOf({ plan: 'free' }),
    'deployments.get': () => deploymentOf(),
  };
  using readOnly = showScreen(<DeploymentEditorScreen />, free, EDITOR);
  await readOnly.sees('What is live stays live. A plan is needed to publish again.');
  await readOnly.sees('about.html');
  expect(readOnly.linkTo('See the plans')).toBe('/subscription/pricing');
  expect([...readOnly.page.querySelectorAll('button')].some((button) => button.textContent === 'New file')).toBe(false);
});

test('a search goes through the names and the texts of all files, and leads to the line', async () => {
  const texts = { [HASH]: 'h1 {}', ['b'.repeat(64)]: '<p>\n  Our tea\n</p>', ['c'.repeat(64)]: 'TEA' };
  const [css = '', menu = '', other = ''] = Object.keys(texts);
  serveFiles(
    [
      ['css/site.css', css, 5],
      ['menu/tea.html', menu, 17],
      ['notes.txt', other, 3],
      ['tea.png', other, 3],
      ['all.html', 'd'.repeat(64), 2 * 1024 * 1024],
    ],
    texts,
  );
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await shown.sees('No changes');
  const field = shown.page.querySelector<HTMLInputElement>('input[type=search]');
  field?.setAttribute('name', 'words');
  typeInto(shown.page, 'words', 'tea');
  await shown.sees('4 matches. Not searched: 1 file, to keep the search fast.');
  expect(shown.rows('Matches')).toEqual([
    'menu/tea.html',
    'tea.png',
    'menu/tea.html, line 2Our tea',
    'notes.txt, line 1TEA',
  ]);
  [...shown.page.querySelectorAll('li button')]
    .find((one) => one.textContent?.includes('line 2'))
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await soon(() => expect(shown.page.querySelector('.cm-activeLine')?.textContent).toContain('Our tea'));
});

/** On a busy machine a step may take many times as long. */
const soon = (look: () => void) => vi.waitFor(look);

/** Removes a file by the keyboard, and waits until it is gone from the tree. */
async function removeFile({ page }: ShownScreen, name: string): Promise<void> {
  const find = () => [...page.querySelectorAll('[role=treeitem]')].find((item) => item.textContent?.startsWith(name));
  await soon(() => expect(find()).toBeDefined());
  find()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }));
  await soon(() => expect(find()).toBeUndefined());
}

const filesOf = ({ page }: ShownScreen) =>
  [...page.querySelectorAll('[role=treeitem]')].map((item) => item.textContent);
const dialog = () => document.querySelector<HTMLElement>('[role=alertdialog], [role=dialog]');
const press = (name: string) =>
  [...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === name)?.click();

test('a link that leads away from changes asks first, and leads on when it is answered', async () => {
  serveFiles([
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ]);
  const screen = (
    <Router aroundNav={aroundNavigation}>
      <DeploymentEditorScreen />
    </Router>
  );
  using shown = showScreen(screen, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await removeFile(shown, 'a.html');
  const leave = () => [...shown.page.querySelectorAll('a')].find((one) => one.textContent === 'Deployments')?.click();
  leave();
  await soon(() => expect(dialog()?.textContent).toContain('Your changes are not published'));
  press('Cancel');
  await soon(() => expect(dialog()).toBeNull());
  expect(location.pathname).toBe(EDITOR.path);
  leave();
  await soon(() => expect(dialog()).not.toBeNull());
  press('Leave');
  await shown.sees('Elsewhere');
  expect(location.pathname).toBe('/deployments');
});

test('a step back in the history asks first, and leads there when it is answered', async () => {
  serveFiles([
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ]);
  history.pushState(null, '', '/deployments');
  history.pushState(null, '', '/');
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await removeFile(shown, 'a.html');
  history.back();
  await soon(() => expect(dialog()?.textContent).toContain('Your changes are not published'));
  press('Cancel');
  await soon(() => expect(dialog()).toBeNull());
  expect(location.pathname).toBe(EDITOR.path);
  history.back();
  await soon(() => expect(dialog()).not.toBeNull());
  press('Leave');
  await shown.sees('Elsewhere');
  expect(location.pathname).toBe('/deployments');
});

test('changes of an earlier release are put on the newer one, replace it, or go', async () => {
  const OTHER = 'b'.repeat(64);
  const live: Rows = [
    ['a.html', HASH, 1],
    ['b.html', OTHER, 1],
    ['new.html', HASH, 1],
  ];
  const earlier: Rows = [
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ];
  const place = { ...EDITOR, path: `${EDITOR.path}?release=2` };
  const answers: Answers = {
    ...onPro,
    'deployments.get': () => deploymentOf({ currentRelease: releaseRefOf({ id: 'release-3' }) }),
    'releases.get': () => releaseOf({ id: 'release-2', number: 2, state: 'superseded' }),
  };
  for (const [choice, files, changes] of [
    ['merge', ['a.html', 'new.html'], '1 change,'],
    ['mine', ['a.html'], '2 changes'],
    ['theirs', ['a.html', 'b.html', 'new.html'], 'No changes'],
  ] as const) {
    serveFiles(live, '', { 'release-2': earlier });
    using shown = showScreen(<DeploymentEditorScreen />, answers, place);
    await removeFile(shown, 'b.html');
    await shown.sees('Your changes are based on release 2.');
    shown.button('Publish…').click();
    await soon(() =>
      expect(dialog()?.textContent).toContain(
        '1 file changed both here and in release 3. Your version is kept: b.html',
      ),
    );
    dialog()?.querySelector<HTMLInputElement>(`input[value=${choice}]`)?.click();
    press('Continue');
    // It goes on to what was asked for, as long as there is something to publish.
    if (choice !== 'theirs') {
      await soon(() => expect(dialog()?.textContent).toContain('Publish release 4'));
      press('Cancel');
    }
    await soon(() => expect(dialog()).toBeNull());
    expect(filesOf(shown), choice).toEqual(files);
    expect(shown.page.textContent).toContain(changes);
  }
});

test('an edit asks what an upload asks before it takes away the start page, or most of the files', async () => {
  serveFiles([
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
    ['index.html', HASH, 1],
  ]);
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await removeFile(shown, 'index.html');
  await removeFile(shown, 'a.html');
  shown.button('Publish…').click();
  await soon(() => expect(dialog()?.textContent).toContain('Publish release 4'));
  // All of it in the one dialog, which Enter leaves as it was.
  for (const text of ['Publish without a start page?', 'Remove 2 of 3 files?', 'The new release has 1 file.'])
    expect(dialog()?.textContent).toContain(text);
  const publish = [...(dialog()?.querySelectorAll('button') ?? [])].find(
    ({ textContent }) => textContent === 'Publish anyway',
  );
  expect(publish?.getAttribute('data-variant')).toBe('danger');
  await soon(() => expect(document.activeElement?.textContent).toBe('Cancel'));
});

test('an edit of a site that never had a start page loses none', async () => {
  serveFiles([
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ]);
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await removeFile(shown, 'a.html');
  shown.button('Publish…').click();
  await soon(() => expect(dialog()?.textContent).toContain('Publish without a start page?'));
  expect(dialog()?.querySelector('[type=submit]')?.getAttribute('data-variant')).toBe('primary');
});

test('the button of the preview stays where it is pressed, so that a second press discards nothing', async () => {
  serveFiles([
    ['a.html', HASH, 1],
    ['index.html', HASH, 1],
  ]);
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await removeFile(shown, 'a.html');
  const acts = () =>
    [...(shown.button('Publish…').parentElement?.querySelectorAll('button') ?? [])].map((one) => one.textContent);
  const before = acts();
  flushSync(() => shown.button('Preview').click());
  await soon(() => expect(shown.page.querySelector('[aria-label=Preview]')).not.toBe(null));
  expect(acts()).toEqual(before);
  const tree = () => shown.page.querySelector('[role=tree]')?.closest('.hidden');
  await soon(() => expect(tree(), 'one of both fits beside it').not.toBe(null));
  expect(shown.page.querySelector('[role=tabpanel]')?.closest('.hidden')).toBe(null);
  flushSync(() => shown.button('Preview').click());
  await soon(() => expect(shown.page.querySelector('[aria-label=Preview]')).toBe(null));
});

/** Asks for the deployment and for files again, as an event of the server and a change of anything do. */
function Renew() {
  const client = useQueryClient();
  return (
    <button
      type="button"
      onClick={() => void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'edits' })}
    >
      Renew
    </button>
  );
}

/** Shows the editor of release 3 in front of a server where release 4 can go live. */
function showRenewable(more: Answers = {}): ShownScreen & { goLive4(): void } {
  const answers: Answers = { ...onPro, 'deployments.get': () => deploymentOf(), ...more };
  const both = (
    <>
      <DeploymentEditorScreen />
      <Renew />
    </>
  );
  const shown = showScreen(both, answers, EDITOR);
  return {
    ...shown,
    goLive4() {
      answers['deployments.get'] = () => deploymentOf({ currentRelease: releaseRefOf({ number: 4 }) });
      shown.button('Renew').click();
    },
  };
}

test.each([
  ['leaves what is edited as it is', true, ['a.html'], 'Your changes are based on release 3.'],
  ['is gone on with where nothing is', false, ['a.html', 'b.html', 'new.html'], 'No changes'],
] as const)('a release that goes live meanwhile %s', async (_, isEdited, files, text) => {
  const begun: Rows = [
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ];
  serveFiles(begun, '', { 'release-4': [...begun, ['new.html', HASH, 1]] });
  using shown = showRenewable();
  await shown.sees('No changes');
  if (isEdited) await removeFile(shown, 'b.html');
  shown.goLive4();
  await soon(() => expect(filesOf(shown)).toEqual(files));
  await shown.sees(text);
  expect(filesOf(shown)).toEqual(files);
});

test('a release that goes live while a draft is sent leaves the dialog that can stop the sending', async () => {
  serveFiles([
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ]);
  using shown = showRenewable({ 'releases.prepare': () => new Promise(() => undefined) });
  await removeFile(shown, 'b.html');
  shown.button('Publish…').click();
  await soon(() => expect(dialog()?.textContent).toContain('Publish release 4'));
  press('Publish anyway');
  await soon(() => expect(dialog()?.textContent).toContain('Publishing…'));
  shown.goLive4();
  await shown.sees('Your changes are based on release 3.');
  expect(dialog()?.textContent).toContain('Publishing…');
});

test('before it is known whether a newer release has the changes none is published, and a question stays', async () => {
  const begun: Rows = [
    ['a.html', HASH, 1],
    ['b.html', HASH, 1],
  ];
  const others: Record<string, Rows> = { 'release-4': [...begun, ['new.html', HASH, 1]] };
  serveFiles(begun, '', others);
  using shown = showRenewable();
  await shown.sees('No changes');
  let read = (_bytes: ArrayBuffer): void => undefined;
  const added = new File(['new'], 'new.html');
  added.arrayBuffer = () =>
    new Promise((resolve) => {
      read = resolve;
    });
  const input = shown.page.querySelector<HTMLInputElement>('input[aria-label="Files to add"]');
  Object.defineProperty(input, 'files', { value: [added] });
  input?.dispatchEvent(new Event('change', { bubbles: true }));
  await shown.sees('1 change');
  shown.button('Publish…').click();
  await soon(() => expect(dialog()?.textContent).toContain('Publish release 4'));
  shown.goLive4();
  await soon(() => expect(dialog()?.querySelector('[type=submit][aria-busy]')?.textContent).toBe('Checking…'));
  press('Cancel');
  await soon(() => expect(dialog()).toBeNull());
  dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }));
  read(new TextEncoder().encode('new').buffer);
  await shown.sees('Your changes are based on release 3.');
  expect(dialog()).toBeNull();

  shown.button('Choose what to keep').click();
  await soon(() => expect(dialog()?.textContent).toContain('1 file changed both here and in release 4.'));
  const mine = () => dialog()?.querySelector<HTMLInputElement>('input[value=mine]');
  mine()?.click();
  // Other files show that the answer has arrived.
  others['release-4'] = begun;
  shown.button('Renew').click();
  await soon(() => expect(dialog()?.textContent).toContain('No file changed both here and in release 4.'));
  expect(mine()?.checked).toBe(true);
});

test('a file is dragged into a folder and out of it, and the tab goes with it', async () => {
  serveFiles([
    ['css/site.css', HASH, 1],
    ['index.html', HASH, 1],
    ['css/index.html', HASH, 1],
  ]);
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await shown.sees('No changes');
  const row = (name: string) =>
    [...shown.page.querySelectorAll('[role=treeitem]')].find((item) => item.textContent === name);
  const drag = async (name: string, target: Element | null | undefined) => {
    row(name)?.dispatchEvent(new Event('dragstart', { bubbles: true }));
    await soon(() => {
      const over = new Event('dragover', { bubbles: true, cancelable: true });
      target?.dispatchEvent(over);
      expect(over.defaultPrevented).toBe(true);
    });
    target?.dispatchEvent(new Event('drop', { bubbles: true, cancelable: true }));
  };
  // There is one of its name already.
  await drag('index.html', row('css'));
  expect(shown.page.textContent).toContain('No changes');
  await drag('css', shown.page.querySelector('[role=tree]'));
  expect(shown.page.textContent).toContain('No changes');
  row('css')?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await soon(() => expect(filesOf(shown)).toEqual(['css', 'index.html', 'site.css', 'index.html']));
  await drag('site.css', shown.page.querySelector('[role=tree]'));
  await soon(() => expect(filesOf(shown)).toEqual(['css', 'index.html', 'index.html', 'site.cssnew']));
  await shown.sees('2 changes');
});

test('a second tab with the same files is told of in both, until it is closed', async () => {
  serveFiles([['index.html', HASH, 1]]);
  const answers = { ...onPro, 'deployments.get': () => deploymentOf() };
  using shown = showScreen(<DeploymentEditorScreen />, answers, EDITOR);
  await shown.sees('No changes');
  expect(shown.page.textContent).not.toContain(ELSEWHERE);
  {
    using second = showScreen(<DeploymentEditorScreen />, answers, EDITOR);
    await second.sees(ELSEWHERE);
    await shown.sees(ELSEWHERE);
  }
  await soon(() => expect(shown.page.textContent).not.toContain(ELSEWHERE));
});

test('a name that cannot be published is refused where it is typed, with the reason', async () => {
  serveFiles([['index.html', HASH, 1]]);
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await shown.sees('No changes');
  flushSync(() => shown.button('New file').click());
  typeInto(document, 'name', '../away.html');
  const dialog = document.querySelector('[role=dialog]');
  await submit(dialog?.querySelector('form'));
  await soon(() => expect(dialog?.textContent).toContain('This name leads out of the folder ("..").'));
});

test('before a draft is published it is told what is left out of it, what stops it, and which new names are odd', async () => {
  serveFiles([
    ['index.html', HASH, 1],
    ['docs/aux.html', HASH, 1],
  ]);
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await shown.sees('No changes');
  const pem = '-----BEGIN PRIVATE KEY-----\nAAAA\n';
  const added = { '.DS_Store': 'x', '.env': 'A=1', 'Index.html': 'x', 'talk.html': 'x', 'id.pem': pem };
  const input = shown.page.querySelector<HTMLInputElement>('input[aria-label="Files to add"]');
  const files = Object.entries(added).map(([name, text]) => new File([text], name));
  Object.defineProperty(input, 'files', { value: files });
  input?.dispatchEvent(new Event('change', { bubbles: true }));
  await shown.sees('5 changes');
  shown.button('Publish…').click();
  await soon(() => expect(dialog()?.textContent).toContain('id.pem cannot be published'));
  const text = dialog()?.textContent ?? '';
  for (const told of ['.DS_Store is left out', '.env is left out', '2 names differ only in capital letters.'])
    expect(text).toContain(told);
  expect(text, 'said when the release was made').not.toContain('Windows.');
});

function OpenBesidePreview({ files }: { files: readonly string[] }) {
  const [active, open] = useState<string | null>(null);
  const preview = { url: 'http://draft.test', version: 1, isBusy: false, problem: null, refresh: () => undefined };
  const buttons = files.map((file) => (
    <button key={file} type="button" onClick={() => open(file)}>
      {file}
    </button>
  ));
  return [...buttons, <PreviewPane key="preview" preview={preview} active={active} onClose={() => undefined} />];
}

test('the preview shows the page or the drawing that is edited, and the page before for a style', () => {
  const files = ['about.html', 'css/site.css', 'img/logo.svg'];
  using shown = showScreen(<OpenBesidePreview files={files} />, {});
  expect(shown.button('Back to the files'), 'where no file is open').toBeDefined();
  const addresses = files.map((file) => {
    flushSync(() => shown.button(file).click());
    return shown.page.querySelector('iframe')?.getAttribute('src');
  });
  const [page, , drawing] = files.map((file) => `http://draft.test/${file}`);
  expect(addresses).toEqual([page, page, drawing]);
  expect(shown.button('Back to the code')).toBeDefined();
});
