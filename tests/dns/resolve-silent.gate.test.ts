import { expect, test } from 'vitest';
import { startInternet } from '../support/hostile-internet.ts';

const { signal } = new AbortController();

// Each question is waited for as long as the product waits: seconds in which nothing is computed.
test.each([
  ['questions for CAA', () => ({}), 'evil.test'],
  ['all questions', () => null, null],
])('name servers that drop %s are told from those out of reach', async (_, other, muteZone) => {
  await using internet = await startInternet(({ type }) => (type === 'CAA' ? null : other()));
  await expect(internet.client.caaOf('evil.test', signal)).rejects.toMatchObject({ muteZone });
});
