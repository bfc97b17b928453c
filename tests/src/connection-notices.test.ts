import { expect, test } from 'vitest';
import { createConnectionNotices } from '../../src/api/socket-notices.ts';

type Notices = ReturnType<typeof createConnectionNotices>;

test.each<[string, (keyof Notices)[], string[]]>([
  ['the first opening is not told', ['attemptFailed', 'opened'], []],
  [
    'a break is told once, and the connection after it',
    ['opened', 'closed', 'attemptFailed', 'closed', 'opened', 'opened'],
    ['Disconnected', 'Connected'],
  ],
  [
    'an announced restart that is over at the first attempt is not told',
    ['opened', 'announceRestart', 'closed', 'opened'],
    [],
  ],
  [
    'an announced restart is told when the attempt has failed as well',
    ['opened', 'announceRestart', 'closed', 'attemptFailed', 'attemptFailed', 'opened'],
    ['Disconnected', 'Connected'],
  ],
  [
    'a break after an announced restart is told like any other',
    ['opened', 'announceRestart', 'closed', 'opened', 'closed'],
    ['Disconnected'],
  ],
])('%s', (_, happened, expected) => {
  const told: string[] = [];
  const notices = createConnectionNotices({
    onConnected: () => told.push('Connected'),
    onDisconnected: () => told.push('Disconnected'),
  });
  for (const what of happened) notices[what]();
  expect(told).toEqual(expected);
});
