import { expect, test } from 'vitest';
import { liftOver } from '../../src/components/overlays/toaster.tsx';

const card = new DOMRect(16, 600, 328, 84);

test('a toast that comes from below goes above the main buttons, and stays where it covers none', () => {
  const above = new DOMRect(16, 500, 328, 44);
  const beside = new DOMRect(400, 620, 120, 44);
  expect(liftOver([above, beside], card)).toBe(0);
  const below = new DOMRect(16, 640, 328, 44);
  expect(liftOver([below], card)).toBe(52);
  // Above the lower of the two it would lie on the upper one.
  expect(liftOver([new DOMRect(16, 580, 328, 44), below], card)).toBe(112);
});

test('it never goes past the middle of the window', () => {
  const buttons = [new DOMRect(16, window.innerHeight / 2 + 20, 328, 44)];
  expect(liftOver(buttons, new DOMRect(16, window.innerHeight / 2 + 10, 328, 84))).toBe(0);
});
