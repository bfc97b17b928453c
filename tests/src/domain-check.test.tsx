import { expect, test, vi } from 'vitest';
import type { Domain } from '../../routers/schemas/domains.ts';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { DomainCheck } from '../../src/features/domains/domain-check.tsx';
import { domainOf } from '../support/domain-fixtures.ts';
import { refusal, showScreen } from '../support/screen.tsx';

test('a domain that waits is checked when it is opened, unless that is done soon anyway', async () => {
  const show = (state: Domain['state'], seconds: number) => {
    const check = vi.fn(() => refusal('rate_limited', 'Too many checks.'));
    const domain = domainOf({ state, nextCheckAt: new Date(Date.now() + seconds * 1_000) });
    return { check, shown: showScreen(<DomainCheck domain={domain} />, { 'domains.check': check }) };
  };
  const others = [show('pending_dns', 5), show('active', 1_800)];
  const late = [show('pending_dns', 900), show('misconfigured', 900)];
  for (const { check, shown } of late) {
    await vi.waitFor(() => expect(check).toHaveBeenCalledTimes(1));
    await vi.waitFor(() => expect(shown.button('Check now').getAttribute('aria-busy')).not.toBe('true'));
  }
  for (const { check } of others) expect(check).not.toHaveBeenCalled();
  // Nobody asked for it, so nobody is told that it failed.
  expect(toasts.get()).toEqual([]);
  for (const { shown } of [...others, ...late]) shown[Symbol.dispose]();
});
