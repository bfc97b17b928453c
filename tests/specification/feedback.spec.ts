import { expect, test } from '../browser/fixtures.ts';
import { seenBefore } from './accounts.ts';
import { expectShown, watchToasts } from './toasts.ts';

const TITLE = 'Rate Your Experience';

// What needs no layout, pointer or arrow key is in tests/src/feedback-prompt.test.tsx.
test('the floating button opens the dialog, and the stars are chosen by pointer and by keyboard', async ({
  page,
  app,
}) => {
  const shown = await watchToasts(page);
  await seenBefore(page.context(), app.url);
  await page.goto('/about');
  const button = page.getByRole('button', { name: TITLE });
  const dialog = page.getByRole('dialog', { name: TITLE });
  const stars = dialog.getByRole('radio');
  const expectFilled = (count: number) => expect(dialog.locator('[data-filled="true"]')).toHaveCount(count);
  await test.step('it floats at the bottom right', async () => {
    const box = await button.boundingBox();
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    expect(box?.x).toBeGreaterThan(size.width / 2);
    expect(box?.y).toBeGreaterThan(size.height / 2);
    await button.click();
    await expect(stars).toHaveCount(5);
  });
  await test.step('pointing previews, leaving takes it back', async () => {
    await stars.nth(3).hover();
    await expectFilled(4);
    await page.mouse.move(0, 0);
    await expectFilled(0);
    await stars.nth(1).click();
    await stars.nth(4).hover();
    await expectFilled(5);
    await page.mouse.move(0, 0);
    await expectFilled(2);
  });
  await test.step('arrow keys choose', async () => {
    await stars.nth(1).focus();
    await page.keyboard.press('ArrowRight');
    await expect(stars.nth(2)).toBeChecked();
    await expectFilled(3);
  });
  await test.step('sent, it thanks, closes and takes the button away', async () => {
    await dialog.getByRole('button', { name: 'Send feedback' }).click();
    await expectShown(shown, 'Thank you for your feedback!', 'Your feedback helps us improve the product.');
    await expect(dialog).toHaveCount(0);
    await expect(button).toHaveCount(0);
  });
});
