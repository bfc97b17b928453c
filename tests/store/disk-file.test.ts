import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { flushingWriter } from '../../server/store/disk/file.ts';

test('a flush that fails while more is written fails the whole', async () => {
  // Takes what is written, and cannot be flushed, as anything that is no file (fsync(2)).
  const file = await open('/dev/null', 'w');
  try {
    const writer = flushingWriter(file);
    const written = async () => {
      for (let piece = 0; piece < 40; piece += 1) await writer.write([Buffer.alloc(1024 * 1024)]);
      await writer.end();
    };
    await expect(written()).rejects.toHaveProperty('code');
  } finally {
    await file.close();
  }
});
