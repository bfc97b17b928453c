import { expect, test } from 'vitest';
import { CONNECTION_PROVIDERS } from '../../routers/schemas/platforms/ids.ts';
import { platformHarness, restored } from '../support/platform-harness.ts';
import { platforms } from '../support/platforms.ts';

const MADE = CONNECTION_PROVIDERS.flatMap((id) => platforms[id] ?? []);

test.each(MADE)('a release that never came to $id is to be published anew', async (platform) => {
  await using harness = await platformHarness();
  await expect(restored(platform, harness.call, {})).rejects.toMatchObject({
    code: 'platform_failed',
    message: expect.stringContaining('this release was never made there'),
    hint: 'It cannot be restored there: publish its files as a new release.',
  });
});
