import { expect, test } from 'vitest';
import { TicketKeysModel } from '../../server/database/models/ticket-keys.ts';
import { ticketKeys } from '../../server/host/ticket-keys.ts';
import { HOUR_MS } from '../../server/lib/durations.ts';
import { createTestApp } from '../support/app.ts';

test('all processes have the keys of the present period, which nobody can make again', async () => {
  await using app = await createTestApp();
  const { providers } = app;
  const made = await Promise.all([ticketKeys(providers), ticketKeys(providers), ticketKeys(providers)]);
  expect(new Set(made.map(String)).size).toBe(1);
  expect(made[0]).toHaveLength(48);
  app.clock.advance(12 * HOUR_MS);
  expect(await ticketKeys(providers)).not.toEqual(made[0]);
  const rows = await TicketKeysModel.find({ _id: { $gt: '' } }).lean();
  expect(rows.map(({ _id, expiresAt }) => expiresAt.getTime() - Date.parse(_id))).toEqual([12 * HOUR_MS, 12 * HOUR_MS]);
  await TicketKeysModel.deleteMany({ _id: { $gt: '' } });
});
