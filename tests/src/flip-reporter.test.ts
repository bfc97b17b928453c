import { expect, test } from 'vitest';
import { createFlipReporter } from '../../src/realtime/flip-reporter.ts';

function arrange() {
  const told: string[] = [];
  const reporter = createFlipReporter({
    onConnected: () => told.push('Connected'),
    onDisconnected: () => told.push('Disconnected'),
  });
  return { told, reporter };
}

test('the first opening is no flip', () => {
  const { told, reporter } = arrange();
  reporter.attemptFailed();
  reporter.opened();
  expect(told).toEqual([]);
});

test('a break is told once, and the connection after it', () => {
  const { told, reporter } = arrange();
  reporter.opened();
  reporter.closed();
  reporter.attemptFailed();
  reporter.closed();
  reporter.opened();
  reporter.opened();
  expect(told).toEqual(['Disconnected', 'Connected']);
});

test('an announced restart that is over at the first attempt is not told', () => {
  const { told, reporter } = arrange();
  reporter.opened();
  reporter.announceRestart();
  reporter.closed();
  reporter.opened();
  expect(told).toEqual([]);
});

test('an announced restart is told when the attempt has failed as well', () => {
  const { told, reporter } = arrange();
  reporter.opened();
  reporter.announceRestart();
  reporter.closed();
  reporter.attemptFailed();
  reporter.attemptFailed();
  reporter.opened();
  expect(told).toEqual(['Disconnected', 'Connected']);
});

test('a break after an announced restart is told like any other', () => {
  const { told, reporter } = arrange();
  reporter.opened();
  reporter.announceRestart();
  reporter.closed();
  reporter.opened();
  reporter.closed();
  expect(told).toEqual(['Disconnected']);
});
