import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { usePageTitle, useTitle } from '../../src/lib/browser/page-title.ts';

Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true);

function Titled({ title, children }: { title: string; children?: React.ReactNode }) {
  usePageTitle(title);
  return children;
}

const Title = () => useTitle('Deployment');

test('a title that a part of a screen had for a while goes back to the screen', async () => {
  const element = document.createElement('div');
  const root = createRoot(element);
  const show = (part: React.ReactNode) =>
    act(async () =>
      root.render(
        <>
          <Title />
          <Titled title="Harbour">{part}</Titled>
        </>,
      ),
    );
  await show(null);
  await show(<Titled title="Release 2" />);
  expect(element.textContent).toBe('Release 2');
  await show(null);
  expect(element.textContent).toBe('Harbour');
  await act(async () => root.render(<Title />));
  expect(element.textContent).toBe('Deployment');
});

test('a screen that goes together with its part leaves no title behind', async () => {
  const element = document.createElement('div');
  const root = createRoot(element);
  const show = (screen: React.ReactNode) =>
    act(async () =>
      root.render(
        <>
          <Title />
          {screen}
        </>,
      ),
    );
  const screen = (part: React.ReactNode) => <Titled title="Harbour">{part}</Titled>;
  await show(screen(null));
  await show(screen(<Titled title="Release 2" />));
  await show(null);
  expect(element.textContent).toBe('Deployment');
});
