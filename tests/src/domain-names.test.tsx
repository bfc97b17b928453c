import { useState } from 'react';
import { flushSync } from 'react-dom';
import { expect, test, vi } from 'vitest';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { DomainDialog } from '../../src/features/domains/domain-dialogs.tsx';
import { DomainScreen } from '../../src/screens/domain.tsx';
import { DomainsScreen } from '../../src/screens/domains.tsx';
import { domainAnswers, DOMAIN_PLACE as PLACE } from '../support/domain-answers.ts';
import { domainOf, recordOf } from '../support/domain-fixtures.ts';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf } from '../support/screen-fixtures.ts';

test('a name with letters of its own is shown as people write it, and in ASCII where its records are', async () => {
  const ascii = 'xn--caf-clara-d4a.se';
  const domain = domainOf({
    ...{ name: `www.${ascii}`, unicodeName: 'www.café-clara.se', counterpart: ascii, servedName: ascii },
    ...{ state: 'active', pointedNames: [ascii, `www.${ascii}`], records: [recordOf({ name: ascii, state: 'ok' })] },
  });
  using listed = showScreen(<DomainsScreen />, domainAnswers(domain));
  await listed.sees('www.café-clara.se');
  expect(listed.page.textContent).toContain('harbour · with café-clara.se');

  using shown = showScreen(<DomainScreen />, domainAnswers(domain), PLACE);
  await shown.sees('Visit café-clara.se');
  expect(shown.page.querySelector('h1')?.textContent).toBe('www.café-clara.se');
  expect(shown.page.querySelector('header')?.textContent).toContain(`www.${ascii}`);
  expect(shown.page.textContent).toContain('www.café-clara.se redirects to café-clara.se.');
  expect(shown.button('Copy the name @')).toBeDefined();
  const items = () => [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const trigger = shown.button('Actions for www.café-clara.se');
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await vi.waitFor(() => expect(items().length).toBeGreaterThan(0), { timeout: 10_000 });
  items()
    .find(({ textContent }) => textContent?.trim() === 'Remove')
    ?.click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('Remove www.café-clara.se?'), { timeout: 10_000 });
  const records = document.querySelector('[role="alertdialog"] li, [role="dialog"] li');
  expect(records?.textContent).toContain(`A ${ascii}`);
});

test('a visit is offered once the name is proved, since nothing is served before', async () => {
  const pointed = domainOf({ state: 'unverified', pointedNames: ['shop.example'], provedAt: null });
  using shown = showScreen(<DomainScreen />, domainAnswers(pointed), PLACE);
  await shown.sees('is served once you have proved that it is yours');
  expect(shown.linkTo('Visit shop.example')).toBeUndefined();
});

const [harbour, bakery, inn] = [
  deploymentOf(),
  deploymentOf({ name: 'bakery' }),
  deploymentOf({ name: 'inn', platform: 'netlify' }),
];
const dialogText = () => document.querySelector('[role="dialog"]')?.textContent;

test.each([
  ['active', bakery, 'It points to harbour now, and after the move to bakery. Its records stay as they are.'],
  ['active', inn, 'It points to harbour now, and after the move to inn. It may need other records'],
  ['pending_dns', bakery, 'It belongs to harbour now, and after the move to bakery.'],
] as const)('whoever moves a domain (%s) reads whose it is now, and whose afterwards', (state, other, text) => {
  const nothing = () => undefined;
  const ends = { onClose: nothing, onRemoved: nothing };
  using _shown = showScreen(
    <DomainDialog act="move" domain={domainOf({ state })} deployments={[harbour, other]} {...ends} />,
    {},
  );
  expect(dialogText()).toContain(text);
});

test('until the dialog of a move closes, it says what it said, and then whose the domain is', async () => {
  const closed = vi.fn();
  const moved = domainOf({ deploymentId: bakery.id });
  let show = (_domain: typeof moved) => {};
  let answer = (_domain: typeof moved) => {};
  const answered = new Promise<typeof moved>((resolve) => {
    answer = resolve;
  });
  function Dialog() {
    const [domain, setDomain] = useState(domainOf());
    show = setDomain;
    return (
      <DomainDialog {...{ act: 'move', domain, deployments: [harbour, bakery], onClose: closed, onRemoved() {} }} />
    );
  }
  using _shown = showScreen(<Dialog />, { 'domains.update': () => answered });
  document.querySelector('form')?.requestSubmit();
  await vi.waitFor(() => expect(dialogText()).toContain('Moving…'));
  // The list of domains is read again before the dialog closes.
  flushSync(() => show(moved));
  expect(dialogText()).toContain('It belongs to harbour now, and after the move to bakery.');
  answer(moved);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(toasts.get().at(-1)?.description).toContain('shop.example belongs to bakery now');
});
