import { beforeEach, expect, test } from 'vitest';
import {
  isFeedbackDismissed,
  rememberFeedbackAsked,
  rememberFeedbackDismissed,
  wasFeedbackAsked,
} from '../../src/features/feedback/feedback-asked.ts';
import {
  clearDraft,
  emptyDraft,
  parseDraft,
  readDraft,
  writeDraft,
} from '../../src/features/feedback/feedback-draft.ts';
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

test('the dialog waits while another is open or files are dragged over the page', () => {
  expect(isSomethingOpen(document)).toBe(false);
  for (const open of ['<div role="alertdialog"></div>', '<div data-over="true"></div>']) {
    document.body.innerHTML = open;
    expect(isSomethingOpen(document), open).toBe(true);
  }
});

test('the dialog waits while a field or a form has the focus, and not while another button has', () => {
  document.body.innerHTML = '<button id="b"></button><input id="i"><form><button id="f"></button></form>';
  const whileFocused = ['b', 'i', 'f'].map((id) => {
    document.getElementById(id)?.focus();
    return isTyping(document);
  });
  expect(whileFocused).toEqual([false, true, true]);
});
