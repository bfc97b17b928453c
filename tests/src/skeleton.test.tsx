import { act, type ReactNode, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { SkeletonGroup } from '../../src/components/skeleton.tsx';
import { Spinner } from '../../src/components/spinner.tsx';

Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true);

/** One skeleton in place of another, as that of a list replaces that of its screen. */
function Places({ first }: { first: ReactNode }) {
  const [place, setPlace] = useState(1);
  return (
    <>
      <button type="button" onClick={() => setPlace(place + 1)} />
      {place === 1 && first}
      {place === 2 && <SkeletonGroup label="the list">…</SkeletonGroup>}
      {place === 4 && <SkeletonGroup label="later">…</SkeletonGroup>}
    </>
  );
}

test.each([
  ['a skeleton', () => <SkeletonGroup label="the screen">…</SkeletonGroup>],
  ['a spinner', () => <Spinner label="the screen" />],
])('a skeleton waits before it shows, unless it takes the place of %s that is seen', async (_name, placeholder) => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const page = document.createElement('div');
  const root = createRoot(page);
  const waits = () => page.querySelector('[role=status]')?.classList.contains('animate-after-wait');
  const goOn = () => act(async () => page.querySelector('button')?.click());
  await act(async () =>
    root.render(
      <StrictMode>
        <Places first={placeholder()} />
      </StrictMode>,
    ),
  );
  expect(waits()).toBe(true);
  clock.mockReturnValue(1_400);
  await goOn();
  expect(page.textContent).toContain('the list');
  expect(waits()).toBe(false);
  await goOn();
  expect(waits()).toBeUndefined();
  clock.mockReturnValue(1_500);
  await goOn();
  expect(waits()).toBe(true);
  await act(async () => root.unmount());
});
