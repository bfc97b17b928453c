import { beforeEach, expect, test, vi } from 'vitest';
import {
  clearDraft,
  emptyDraft,
  isFeedbackDismissed,
  parseDraft,
  readDraft,
  rememberFeedbackAsked,
  rememberFeedbackDismissed,
  wasFeedbackAsked,
  writeDraft,
} from '../../src/features/feedback/feedback-draft.ts';
import { isPlaceFree } from '../../src/features/feedback/place.ts';
import { isSomethingOpen, isTyping } from '../../src/features/feedback/use-feedback-prompt.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  document.body.innerHTML = '';
});

test('what was typed is there again after a reload, until it was sent', () => {
  writeDraft({ rating: 4, comment: 'The upload stopped' });
  expect(readDraft()).toEqual({ rating: 4, comment: 'The upload stopped' });
  clearDraft();
  expect(readDraft()).toEqual(emptyDraft);
});

test.each([
  '',
  '{',
  'null',
  '{"rating":4}',
  '{"rating":9,"comment":""}',
  '{"rating":1.5,"comment":""}',
  '{"rating":1,"comment":7}',
])('a draft of another shape counts as none: %s', (stored) => {
  expect(parseDraft(stored)).toEqual(emptyDraft);
});

test('dismissal is remembered for good under main-app, asking for the browser session alone', () => {
  expect([isFeedbackDismissed(), wasFeedbackAsked()]).toEqual([false, false]);
  rememberFeedbackDismissed();
  rememberFeedbackAsked();
  expect([isFeedbackDismissed(), wasFeedbackAsked()]).toEqual([true, true]);
  expect(Object.keys(localStorage).filter((key) => key.includes('main-app'))).toHaveLength(1);
  sessionStorage.clear();
  expect([isFeedbackDismissed(), wasFeedbackAsked()]).toEqual([true, false]);
});

test('the dialog waits while another is open', () => {
  expect(isSomethingOpen(document)).toBe(false);
  document.body.innerHTML = '<div role="alertdialog"></div>';
  expect(isSomethingOpen(document)).toBe(true);
});

test('the dialog waits while a field has the focus, and not while a button has', () => {
  document.body.innerHTML = '<button id="b"></button><input id="i">';
  document.getElementById('b')?.focus();
  expect(isTyping(document)).toBe(false);
  document.getElementById('i')?.focus();
  expect(isTyping(document)).toBe(true);
});

test('a place is free of controls, pictures and lines of text, and not of the box that a text stands in', () => {
  document.body.innerHTML =
    '<main><p>Harbour</p><a href="/"></a><svg></svg><div> </div></main><i id="place"><b>X</b></i>';
  const [place, main] = [document.getElementById('place'), document.querySelector('main')];
  if (place === null || main === null) expect.fail();
  vi.spyOn(place, 'getBoundingClientRect').mockReturnValue(new DOMRect(250, 590, 90, 46));
  let line = new DOMRect(16, 600, 200, 20);
  vi.spyOn(Range.prototype, 'getClientRects').mockImplementation(() => Object.assign([line], { item: () => line }));
  // happy-dom lays nothing out.
  const below = (...elements: (Element | null)[]) =>
    Object.assign(document, { elementsFromPoint: () => [...place.querySelectorAll('b'), ...elements, main] });
  const isFree = (selector: string) => {
    below(main.querySelector(selector));
    return isPlaceFree(place);
  };
  expect([isFree('div'), isFree('a'), isFree('svg'), isFree('p')]).toEqual([true, false, false, true]);
  line = new DOMRect(16, 600, 300, 20);
  expect(isFree('p'), 'a line that reaches into it').toBe(false);
  vi.restoreAllMocks();
});
