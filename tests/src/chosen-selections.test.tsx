import { expect, test } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { DropZone } from '../../src/features/deployments/select/drop-zone.tsx';
import { isSomethingOpen } from '../../src/features/feedback/use-feedback-prompt.ts';
import { leaveChosen, setChosen, useChosen } from '../../src/uploads/chosen-selections.ts';
import { showScreen } from '../support/screen.tsx';

const signIn = (accountId: string) =>
  session.signIn({ accessToken: 'token', expiresAt: new Date('2099-01-01') }, accountId);
const selection = { name: 'harbour', files: [{ path: 'index.html', file: new File(['hello'], 'index.html') }] };

function Chosen() {
  return <p>{useChosen('pier')?.name ?? 'nothing'}</p>;
}

function chosenNow(): string {
  using shown = showScreen(<Chosen />, {});
  return shown.page.textContent ?? '';
}

test('what was chosen for a deployment outlives a login that ended, and goes to no other account', () => {
  signIn('anna');
  setChosen('pier', selection);
  // The session is refused, and its owner led from the page to the login.
  localStorage.clear();
  leaveChosen('pier');
  expect(chosenNow()).toBe('nothing');
  signIn('anna');
  expect(chosenNow()).toBe('harbour');
  signIn('berta');
  signIn('anna');
  expect(chosenNow()).toBe('nothing');
});

test('what was chosen is forgotten when its page is left', () => {
  signIn('anna');
  setChosen('pier', selection);
  leaveChosen('pier');
  expect(chosenNow()).toBe('nothing');
});

test.each([true, false])(
  'a folder that is still being read is taken where its page was left: %s',
  async (outlivesPage) => {
    const taken: string[] = [];
    const zone = <DropZone outlivesPage={outlivesPage} onSelection={({ name }) => taken.push(name)} />;
    const left = showScreen(zone, {});
    const input = left.page.querySelector('input');
    const file = new File(['hello'], 'index.html');
    Object.defineProperty(file, 'webkitRelativePath', { value: 'harbour/index.html' });
    Object.defineProperty(input, 'files', { value: [file] });
    input?.dispatchEvent(new Event('change', { bubbles: true }));
    left[Symbol.dispose]();
    await import('../../src/uploads/selection/select.ts');
    // What it was loaded for has run by the next turn.
    await new Promise((resolve) => setTimeout(resolve));
    expect(taken).toEqual(outlivesPage ? ['harbour'] : []);
  },
);

test('while the files are being read the zone keeps its size, and nobody is asked for a rating', () => {
  using shown = showScreen(<DropZone onSelection={() => undefined} isRestoring />, {});
  expect(shown.page.textContent).toContain('Reading the files');
  expect(shown.page.querySelector('.invisible')?.textContent).toMatch(/^Drop a folder or a ZIP/);
  document.body.append(shown.page);
  expect(isSomethingOpen(document)).toBe(true);
  shown.page.remove();
});
