import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { flushingWriter } from '../../server/artifacts/disk-file.ts';

test('a flush that fails while more is written fails the whole', async () => {
  // Takes what is written, and can be flushed as little as anything that is no file (fsync(2), EINVAL).
  const file = await open('/dev/null', 'w');
  try {
    const writer = flushingWriter(file);
    for (let piece = 0; piece < 40; piece += 1) await writer.write([Buffer.alloc(1024 * 1024)]);
    await expect(writer.end()).rejects.toMatchObject({ code: 'EINVAL' });
  } finally {
    await file.close();
  }
});
