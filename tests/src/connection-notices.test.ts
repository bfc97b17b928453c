import { expect, test } from 'vitest';
import { createConnectionNotices } from '../../src/api/socket-notices.ts';

function arrange() {
  const told: string[] = [];
  const notices = createConnectionNotices({
    onConnected: () => told.push('Connected'),
    onDisconnected: () => told.push('Disconnected'),
  });
  return { told, notices };
}

test('the first opening is not told', () => {
  const { told, notices } = arrange();
  notices.attemptFailed();
  notices.opened();
  expect(told).toEqual([]);
});

test('a break is told once, and the connection after it', () => {
  const { told, notices } = arrange();
  notices.opened();
  notices.closed();
  notices.attemptFailed();
  notices.closed();
  notices.opened();
  notices.opened();
  expect(told).toEqual(['Disconnected', 'Connected']);
});

test('an announced restart that is over at the first attempt is not told', () => {
  const { told, notices } = arrange();
  notices.opened();
  notices.announceRestart();
  notices.closed();
  notices.opened();
  expect(told).toEqual([]);
});

test('an announced restart is told when the attempt has failed as well', () => {
  const { told, notices } = arrange();
  notices.opened();
  notices.announceRestart();
  notices.closed();
  notices.attemptFailed();
  notices.attemptFailed();
  notices.opened();
  expect(told).toEqual(['Disconnected', 'Connected']);
});

test('a break after an announced restart is told like any other', () => {
  const { told, notices } = arrange();
  notices.opened();
  notices.announceRestart();
  notices.closed();
  notices.opened();
  notices.closed();
  expect(told).toEqual(['Disconnected']);
});
