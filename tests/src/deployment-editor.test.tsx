import { expect, test, vi } from 'vitest';
import { signInAs } from '../../src/api/user.ts';
import { DeploymentEditorScreen } from '../../src/screens/deployment-editor.tsx';
import { type Answers, refusal, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, shownAt } from '../support/screen-fixtures.ts';

const EDITOR = { pattern: '/deployment-editor/:deploymentId', path: '/deployment-editor/harbour' };
const HASH = 'a'.repeat(64);
const onPro: Answers = { 'subscription.allowance': () => allowanceOf() };

/** The server's own list and one text, in the place of the network. */
function serveFiles(
  rows: readonly (readonly [string, string, number])[],
  text: string | Record<string, string> = '',
): void {
  const user = { id: 'sailor', username: 'sailor', email: 's@example.com', emailConfirmed: true, pendingEmail: null };
  const more = { disclaimerAccepted: true, deploymentCount: 2, isBetaTester: false, createdAt: shownAt };
  signInAs({ ...user, ...more, accessToken: 'token', expiresAt: new Date(Date.now() + 3_600_000) });
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.endsWith('/files')) return new Response(JSON.stringify(rows));
    const [, hash] = path.split('/files/');
    if (hash === undefined) return new Response('null');
    return new Response(typeof text === 'string' ? text : text[hash]);
  });
}

test('the editor of a deployment that is not there, or of another account, says so and offers nothing', async () => {
  const answers: Answers = { 'deployments.get': () => refusal('not_found', 'There is no such deployment.') };
  using shown = showScreen(<DeploymentEditorScreen />, answers, EDITOR);
  await shown.sees('This deployment does not exist');
  expect([...shown.page.querySelectorAll('button')].map((button) => button.textContent)).toEqual(['Show details']);
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
  await vi.waitFor(() => expect(shown.page.querySelector('[role=textbox]')?.textContent).toContain('Harbour'));
  const tree = [...shown.page.querySelectorAll('[role=treeitem]')].map((item) => item.textContent);
  expect(tree).toEqual(['css', 'index.html']);
  expect(shown.button('Publish…').disabled).toBe(true);
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
    ],
    texts,
  );
  using shown = showScreen(<DeploymentEditorScreen />, { ...onPro, 'deployments.get': () => deploymentOf() }, EDITOR);
  await shown.sees('No changes');
  const field = shown.page.querySelector<HTMLInputElement>('input[type=search]');
  field?.setAttribute('name', 'words');
  typeInto(shown.page, 'words', 'tea');
  await shown.sees('4 matches');
  expect(shown.rows('Matches')).toEqual([
    'menu/tea.html',
    'tea.png',
    'menu/tea.html, line 2Our tea',
    'notes.txt, line 1TEA',
  ]);
  [...shown.page.querySelectorAll('li button')]
    .find((one) => one.textContent?.includes('line 2'))
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await vi.waitFor(() => expect(shown.page.querySelector('.cm-activeLine')?.textContent).toContain('Our tea'));
});
