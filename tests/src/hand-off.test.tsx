import { flushSync } from 'react-dom';
import { afterEach, expect, test } from 'vitest';
import { stateLabel } from '../../src/components/states/state-badge.tsx';
import { deploymentDisplayState } from '../../src/features/deployments/display-state.ts';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { checksOf } from '../../src/features/diagnostics/checks.ts';
import { LatestNotice } from '../../src/features/releases/latest-notice.tsx';
import { HandOffPanel, LatestHandOff } from '../../src/features/releases/progress/hand-off-panel.tsx';
import { ReleaseSteps } from '../../src/features/releases/progress/release-steps.tsx';
import { shownState } from '../../src/lib/waiting.ts';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseDetailOf, releaseRefOf, stepOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  document.body.replaceChildren();
  sessionStorage.clear();
});

const destination = {
  ...({ id: 'd'.repeat(20), platform: 'replit', url: '', state: 'waiting' } as const),
  ...{ error: null, missingLinks: [] as string[] },
};
const waiting = releaseDetailOf({ state: 'processing', platform: 'replit', url: '', destinations: [destination] });
const steps = [
  { text: 'Download release 3 as a ZIP.' },
  { text: 'Open the import page of Replit.', url: 'https://replit.com/import' },
];
const answers: Answers = {
  'releases.handOff': () => ({ archive: { url: '/api/releases/r/download?ticket=t' }, steps, address: '' }),
  'releases.get': () => waiting,
};

function enterAddress(page: Element, address: string): HTMLInputElement {
  const input = page.querySelector('input') ?? expect.fail('There is no field for the address');
  flushSync(() => {
    // React notices what the field itself was told, and not what its own property was.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, address);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  return input;
}

test('a release that waits for the person shows each step, its link and the archive', async () => {
  using shown = showScreen(<HandOffPanel release={waiting} isReadOnly={false} />, answers);
  await shown.sees('Open the import page of Replit.');
  expect([...shown.page.querySelectorAll('ol li')].map((step) => step.textContent)).toHaveLength(2);
  expect(shown.page.querySelector('ol a')?.getAttribute('href')).toBe('https://replit.com/import');
  expect(shown.page.textContent).toContain('Download the archive');
});

test('the address that is entered is checked, and what stands against it is said at the field', async () => {
  const asked: unknown[] = [];
  const confirm = (input: unknown) => {
    asked.push(input);
    return refusal('validation_failed', '10.0.0.1 is not a public web address.');
  };
  using shown = showScreen(<HandOffPanel release={waiting} isReadOnly={false} />, {
    ...answers,
    'releases.confirm': confirm,
  });
  await shown.sees('Check now');
  const input = enterAddress(shown.page, 'http://10.0.0.1');
  flushSync(() => void input.form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })));
  await shown.sees('10.0.0.1 is not a public web address.');
  expect(asked).toEqual([{ releaseId: waiting.id, url: 'http://10.0.0.1' }]);
});

test('what the last look has found is said at the field, with the address that was entered', async () => {
  const message = 'https://quay.replit.app cannot be opened: this address does not exist.';
  const error = { code: 'out_of_sync', message, hint: null, raw: null };
  const refused = { ...waiting, destinations: [{ ...destination, error }] };
  const address = 'https://quay.replit.app';
  using shown = showScreen(<HandOffPanel release={refused} isReadOnly={false} />, {
    ...answers,
    'releases.handOff': () => ({ archive: { url: '/a' }, steps, address }),
  });
  await shown.sees('Open the import page of Replit.');
  await shown.sees('quay.replit.app cannot be opened: this address does not exist.');
  expect(shown.linkTo('quay.replit.app')).toBe(address);
  const field = shown.page.querySelector('input');
  expect(field?.value).toBe('https://quay.replit.app');
  expect(field?.getAttribute('aria-invalid')).toBe('true');
  flushSync(() => void enterAddress(shown.page, 'https://quay-2.replit.app'));
  expect(shown.page.textContent).not.toContain(message);
});

test('a list, its filter and the page of the deployment name what waits for the person', async () => {
  const latest = releaseRefOf({ state: 'processing', finishedAt: null, liveSince: null });
  const deployment = deploymentOf({
    state: 'deploying',
    platform: 'replit',
    destinations: [destination],
    currentRelease: null,
    latestRelease: latest,
  });
  expect(deploymentDisplayState(deployment, false)).toBe('waiting');
  const seen = checksOf({ ...deployment, url: '' }, null, undefined).map(({ id, seen }) => [id, seen]);
  expect(Object.fromEntries(seen)).toMatchObject({
    address: 'It has no address yet.',
    last: 'Release 3 waits for you to finish it at Replit.',
  });
  expect(shownState({ ...waiting, state: 'superseded' })).toBe('superseded');
  const primary = { ...destination, id: 'primary', state: 'live' as const };
  const elsewhere = { state: 'deploying', primaryId: 'primary', destinations: [destination, primary] };
  expect(shownState(elsewhere), 'it waits elsewhere alone').toBe('deploying');
  using shown = showScreen(<AttentionList deployments={[deployment]} allowance={allowanceOf()} />, {});
  await shown.sees('Release 3 of harbour waits for you');
  expect(shown.linkTo('Finish at Replit')).toBe('/deployments/harbour/releases/3');
  const notice = { deploymentId: 'harbour', platform: 'replit', serving: null, isReadOnly: false, latest } as const;
  using told = showScreen(<LatestNotice {...notice} isWaiting />, {});
  expect(told.page.textContent).toContain('Release 3 waits for you to finish it at Replit. Nothing is live yet.');
});

test('the step in which it waits says so in the same words', async () => {
  const steps = [
    stepOf({ name: 'preparing', state: 'done' }),
    stepOf({ name: 'uploading', state: 'done' }),
    stepOf({ name: 'processing', state: 'running', startedAt: new Date() }),
    stepOf({ name: 'verifying' }),
  ];
  using shown = showScreen(<ReleaseSteps release={{ ...waiting, steps }} />, {});
  await shown.sees(stateLabel('waiting'));
  const step = shown.page.querySelector('[aria-current=step]');
  expect(step?.textContent).toBe('Waiting for youPublish it and enter its address');
  expect(step?.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(stateLabel('waiting'));
  expect(shown.page.textContent).not.toContain('The host puts');
});

test('an address that was entered is there again after the panel was gone', async () => {
  {
    using shown = showScreen(<HandOffPanel release={waiting} isReadOnly={false} />, answers);
    await shown.sees('Check now');
    enterAddress(shown.page, 'https://quay.replit.app');
  }
  using again = showScreen(<HandOffPanel release={waiting} isReadOnly={false} />, answers);
  await again.sees('Check now');
  expect(again.page.querySelector('input')?.value).toBe('https://quay.replit.app');
});

test('the address that the server knows is filled in at any platform of a deployment, after what was entered', async () => {
  const address = 'https://quay.replit.app';
  const valueIn = async (release: typeof waiting, known: string) => {
    using shown = showScreen(<HandOffPanel release={release} isReadOnly={false} />, {
      ...answers,
      'releases.handOff': () => ({ archive: { url: '/a' }, steps, address: known }),
    });
    await shown.sees('Open the import page of Replit.');
    return shown.page.querySelector('input')?.value;
  };
  expect(await valueIn(waiting, '')).toBe('');
  expect(await valueIn(waiting, address)).toBe(address);
  const primary = { ...destination, id: 'h'.repeat(20), platform: 'built-in', state: 'live' } as const;
  const behind = {
    ...waiting,
    url: 'http://here.localhost',
    state: 'live',
    destinations: [primary, destination],
  } as const;
  expect(await valueIn({ ...behind, destinations: [...behind.destinations] }, address)).toBe(address);
  {
    using shown = showScreen(<HandOffPanel release={waiting} isReadOnly={false} />, answers);
    await shown.sees('Check now');
    enterAddress(shown.page, 'https://pier.replit.app');
  }
  expect(await valueIn(waiting, address)).toBe('https://pier.replit.app');
});

test('who may change nothing reads the steps and enters no address', async () => {
  using shown = showScreen(<HandOffPanel release={waiting} isReadOnly />, answers);
  await shown.sees('Open the import page of Replit.');
  expect(shown.page.querySelector('input')).toBe(null);
});

test('nothing is shown of a release that waits for nobody', () => {
  using shown = showScreen(<HandOffPanel release={releaseDetailOf({ state: 'live' })} isReadOnly={false} />, answers);
  expect(shown.page.textContent).toBe('');
});

test('the page of a deployment shows the same of its latest release', async () => {
  const { id, number } = waiting;
  const latestRelease = { ...deploymentOf().latestRelease, id, number, state: 'processing' };
  const destinations = [destination];
  const deployment = { ...deploymentOf({ destinations }), platform: 'replit', latestRelease } as Parameters<
    typeof LatestHandOff
  >[0]['deployment'];
  using shown = showScreen(<LatestHandOff deployment={deployment} isReadOnly={false} />, answers);
  await shown.sees('Open the import page of Replit.');
});

test('the page of a deployment shows it also where another platform than the primary one waits', async () => {
  const live = { ...waiting, state: 'live' as const };
  const here = { ...destination, id: 'h'.repeat(20), platform: 'built-in', state: 'live' } as const;
  const deployment = deploymentOf({ destinations: [here, destination] });
  using shown = showScreen(<LatestHandOff deployment={deployment} isReadOnly={false} />, {
    ...answers,
    'releases.get': () => live,
  });
  await shown.sees(`Finish release ${live.number} at Replit`);
});

test('a release that was replaced is finished nowhere any more', () => {
  const replaced = { ...waiting, state: 'superseded' as const };
  using shown = showScreen(<HandOffPanel release={replaced} isReadOnly={false} />, answers);
  expect(shown.page.textContent).toBe('');
});
