import { TRPCClientError } from '@trpc/client';
import { beforeEach, expect, test } from 'vitest';
import { hasNothingToAccept, mustAcceptFirst } from '../../src/features/disclaimer/disclaimer-rules.ts';
import { readDisclaimerSeen, writeDisclaimerSeen } from '../../src/features/disclaimer/disclaimer-seen.ts';
import { acceptanceFailure } from '../../src/features/disclaimer/use-accept-disclaimer.ts';

beforeEach(() => {
  localStorage.clear();
  // biome-ignore lint/suspicious/noDocumentCookie: as the app does
  document.cookie = 'disclaimerSeen=; Max-Age=0; Path=/';
});

test('behind the gate is who has not seen it in this browser, or not accepted it with the account', () => {
  const pathname = '/nowhere';
  expect(mustAcceptFirst({ pathname, isSeen: false, user: undefined })).toBe(true);
  expect(mustAcceptFirst({ pathname, isSeen: true, user: undefined })).toBe(false);
  expect(mustAcceptFirst({ pathname, isSeen: true, user: null })).toBe(false);
  expect(mustAcceptFirst({ pathname, isSeen: true, user: { disclaimerAccepted: true } })).toBe(false);
  expect(mustAcceptFirst({ pathname, isSeen: true, user: { disclaimerAccepted: false } })).toBe(true);
});

test('/disclaimer leads on only for who has nothing left to accept', () => {
  expect(hasNothingToAccept({ isSeen: true, user: null })).toBe(true);
  expect(hasNothingToAccept({ isSeen: true, user: { disclaimerAccepted: true } })).toBe(true);
  expect(hasNothingToAccept({ isSeen: true, user: { disclaimerAccepted: false } })).toBe(false);
  expect(hasNothingToAccept({ isSeen: true, user: undefined })).toBe(false);
  expect(hasNothingToAccept({ isSeen: false, user: null })).toBe(false);
});

test('accepting sets flag and cookie, and either of them counts as seen', () => {
  expect(readDisclaimerSeen()).toBe(false);
  expect(writeDisclaimerSeen()).toBe(true);
  expect(document.cookie).toContain('disclaimerSeen=true');
  localStorage.clear();
  expect(readDisclaimerSeen(), 'the cookie alone').toBe(true);
  // biome-ignore lint/suspicious/noDocumentCookie: as the app does
  document.cookie = 'disclaimerSeen=; Max-Age=0; Path=/';
  localStorage.setItem('disclaimerSeen', 'true');
  expect(readDisclaimerSeen(), 'the flag alone').toBe(true);
  localStorage.setItem('disclaimerSeen', 'false');
  expect(readDisclaimerSeen(), 'only true is true').toBe(false);
});

test('a failed acceptance has its three texts', () => {
  const refused = TRPCClientError.from({
    error: { message: 'Try again in a minute.', code: -32029, data: { code: 'rate_limited', requestId: 'r1' } },
  });
  const unreadable = TRPCClientError.from(new SyntaxError('Unexpected token'), {
    meta: { response: new Response('', { status: 502 }) },
  });
  expect(acceptanceFailure(refused)).toBe('Try again in a minute.');
  expect(acceptanceFailure(unreadable)).toBe('Failed to record your acceptance');
  expect(acceptanceFailure(new TypeError('Failed to fetch'))).toBe('An error occurred. Please try again.');
});
