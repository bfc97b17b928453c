import { expect, test, vi } from 'vitest';
import { focusWhereNone } from '../../src/lib/browser/focus-where-none.ts';

/** Returns a field with the focus, a button, and a card that has just appeared. */
function leavingField() {
  document.body.innerHTML = '<input><button>Publish</button><section></section>';
  const field = document.querySelector('input') as HTMLElement;
  const button = document.querySelector('button') as HTMLElement;
  const card = document.querySelector('section') as HTMLElement;
  field.focus();
  return { field, button, card };
}

test('a card that appears while the focus moves on leaves it to where it goes', async () => {
  vi.useFakeTimers();
  const { field, button, card } = leavingField();
  const taken = vi.spyOn(card, 'focus');
  field.blur();
  focusWhereNone(card);
  button.focus();
  await vi.runAllTimersAsync();
  expect(document.activeElement).toBe(button);
  expect(taken).not.toHaveBeenCalled();
});

test('a card in place of what had the focus takes it', async () => {
  vi.useFakeTimers();
  const { field, card } = leavingField();
  field.remove();
  focusWhereNone(card);
  await vi.runAllTimersAsync();
  expect(document.activeElement).toBe(card);
});
