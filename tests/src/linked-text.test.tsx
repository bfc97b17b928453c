import { flushSync } from 'react-dom';
import { expect, test } from 'vitest';
import { LinkedText } from '../../src/components/linked-text.tsx';
import { LogLines } from '../../src/components/lists/log-lines.tsx';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { PreflightResult } from '../../src/features/deployments/preflight/preflight-result.tsx';
import { DomainNotice } from '../../src/features/domains/domain-notice.tsx';
import { LatestNotice } from '../../src/features/releases/latest-notice.tsx';
import { PlatformLog } from '../../src/features/releases/progress/platform-log.tsx';
import { SendingPanel } from '../../src/features/releases/progress/sending-panel.tsx';
import type { Sending } from '../../src/uploads/sendings.ts';
import { domainOf } from '../support/domain-fixtures.ts';
import { showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseRefOf, shownAt } from '../support/screen-fixtures.ts';

const BILLING = 'https://heroku.com/billing';
const TEXT = `Settle it at ${BILLING}.`;

const failure = { message: TEXT, hint: `It is explained at ${BILLING}.`, isDeploymentGone: false } as NonNullable<
  Sending['failure']
>;
const stopped = { failure, control: {}, selection: { name: 'harbour', files: [] } } as unknown as Sending;
const problem = { code: 'payment_required', message: 'Heroku asks for a payment.', hint: TEXT };
const latest = releaseRefOf({ state: 'failed', errorMessage: TEXT });
const place = {
  deploymentId: 'harbour',
  platform: 'heroku',
  serving: null,
  isWaiting: false,
  isReadOnly: true,
} as const;

test.each([
  [
    'a publication that stopped',
    <SendingPanel key="a" sending={stopped} platform="heroku" onReplace={() => {}} />,
    'heroku.com/billing',
  ],
  ['the newest release', <LatestNotice key="b" {...place} latest={latest} />, 'heroku.com/billing'],
  [
    'a domain',
    <DomainNotice key="d" domain={domainOf({ problem: { ...problem, since: shownAt } })} />,
    'heroku.com/billing',
  ],
  [
    'a rehearsal',
    <PreflightResult
      key="e"
      steps={[{ step: 'create', verdict: 'refused', lines: [], problem }]}
      report={null}
      of={{ platform: 'heroku', isFurther: false }}
    />,
    'heroku.com/billing',
  ],
  ['a log', <LogLines key="c" lines={[{ at: shownAt, text: TEXT }]} formatAt={() => '12:00'} />, BILLING],
])('an address in what %s says is a link', (_, screen, name) => {
  using shown = showScreen(screen, {});
  expect(shown.linkTo(name)).toBe(BILLING);
});

test('so is one in what stands under Needs you', async () => {
  const deployments = [deploymentOf({ latestRelease: latest })];
  using shown = showScreen(<AttentionList deployments={deployments} allowance={allowanceOf()} />, {});
  await shown.sees('Release 3 of harbour failed');
  expect(shown.linkTo('heroku.com/billing')).toBe(BILLING);
});

test('the log of a platform is shown to the letter, with its addresses as links', async () => {
  const log = { 'releases.platformLog': () => ({ text: `one ${BILLING}\ntwo ${BILLING}` }) };
  const destination = { id: 'there', platform: 'heroku' } as const;
  using shown = showScreen(<PlatformLog releaseId="r" destination={destination} />, log);
  flushSync(() => shown.button("Show Heroku's log").click());
  await shown.sees(`one ${BILLING}\ntwo ${BILLING}`);
  expect(shown.page.querySelectorAll('a')).toHaveLength(2);
});

test.each([
  ['{"url":"https://heroku.com/billing","id":1}', BILLING],
  ['<https://heroku.com/billing>', BILLING],
  ["open 'https://heroku.com/billing'", BILLING],
  ['[https://heroku.com/billing]', BILLING],
])('an address ends where the text around it goes on: %s', (text, url) => {
  using shown = showScreen(<LinkedText text={text} isVerbatim />, {});
  expect(shown.page.querySelector('a')?.getAttribute('href')).toBe(url);
});
