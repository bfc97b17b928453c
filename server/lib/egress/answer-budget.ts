import { AppError } from '../errors.ts';

const RETRY_AFTER_MS = 5_000;
/** Limits all answers that are read at the same time; as text they take up to twice as much memory. */
const ALL_BYTES = 32 * 1024 * 1024;
/**
 * Most answers are shorter. Longer ones may not use the last half of the room, so that slow ones cannot keep short
 * ones out.
 */
const SHORT_BYTES = 64 * 1024;

let heldBytes = 0;

/**
 * Reads a whole body as text. The sender chooses its length and speed, so each body has its own limit and all bodies
 * that this process reads at once share one. `onText` receives each piece, so that a caller can use the start of a
 * body that broke off. Throws `overloaded`.
 */
export async function textWithinBudget(
  body: AsyncIterable<Uint8Array>,
  onText: (piece: string) => void = () => undefined,
): Promise<string> {
  let own = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      own += chunk.byteLength;
      heldBytes += chunk.byteLength;
      if (heldBytes > (own > SHORT_BYTES ? ALL_BYTES / 2 : ALL_BYTES)) throw overloaded();
      yield chunk;
    }
  }
  try {
    return await textOf(counted(), onText);
  } finally {
    heldBytes -= own;
  }
}

function overloaded(): AppError {
  return new AppError('overloaded', 'Too many long answers are being read right now. Try again in a few seconds.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** Decodes a body. It is not exported, because a body that is read elsewhere would not count against the budget. */
async function textOf(body: AsyncIterable<Uint8Array>, onText: (piece: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    const piece = decoder.decode(chunk, { stream: true });
    onText(piece);
    text += piece;
  }
  return text + decoder.decode();
}
