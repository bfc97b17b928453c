import { AppError } from '../errors.ts';

const RETRY_AFTER_MS = 5_000;
/** Of all answers that are read at once; as text they take up to twice as much. */
const ALL_BYTES = 32 * 1024 * 1024;
/** Most answers are shorter. Longer ones leave half of all room free, so that slow long ones do not keep them out. */
const SHORT_BYTES = 64 * 1024;

let heldBytes = 0;

/**
 * Returns a body whole, as text: whoever answers chooses how long an answer is and how slowly it comes, and each has a
 * limit of its own, but all that this process reads at once have one together. `onText` is told each piece, for whoever
 * takes what came of a body that broke off. Throws `overloaded`.
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

/** Is exported to nobody: a body that is read in another way counts against nothing. */
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
