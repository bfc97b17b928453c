import { expect, test } from 'vitest';
import { createFairleadClient, type FairleadClient } from '../../routers/client.ts';
import { createChangeFeed } from '../../server/database/change-feed.ts';
import { createTestApp, tokenOf } from '../support/app.ts';
import { listen } from '../support/listen.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

test('a script whose token is unknown, or is revoked while it listens, is told so', async () => {
  await using app = await createTestApp({ changes: createChangeFeed(SILENT) });
  await using listener = await listen(app);
  const person = await app.person();
  const { id: tokenId, secret } = await tokenOf(person, ['read'], 'script');
  const follow = (client: FairleadClient, onData: () => void) =>
    new Promise<unknown>((onError) => client.events.stream.subscribe({}, { onData, onError }));
  const wrong = createFairleadClient({ url: listener.url, token: `${secret}x` });
  const good = createFairleadClient({ url: listener.url, token: secret });

  const message = 'This API token is unknown, expired or revoked.';
  expect(await follow(wrong, () => undefined)).toMatchObject({ message });
  const revoke = () => void person.caller.tokens.revoke({ tokenId });
  expect(await follow(good, revoke)).toMatchObject({ message });
  await Promise.all([wrong.close(), good.close()]);
});
