import type { ReleaseRoom } from '../../../routers/schemas/releases.ts';
import type { AccountContext } from '../../context.ts';
import { sumOfArtifacts } from '../../database/models/publishing/artifact.ts';
import { AppError } from '../../lib/errors.ts';
import { requireRoomToSend } from './storage-quota.ts';
import { unconfirmedHint } from './unconfirmed.ts';

type Amount = { count: number; totalBytes: number };

/**
 * Returns whether these files would be refused for want of room, before one of them is sent. Their content is not known
 * here, and what the account has stored already takes no room: it is certain if even that would not help.
 */
export async function readRoom(ctx: AccountContext, files: Amount): Promise<ReleaseRoom> {
  const refusal = await refusalOf(ctx, files);
  if (refusal === null) return { refusal };
  const stored = await sumOfArtifacts(ctx.actor.accountId, null);
  const least = {
    count: Math.max(0, files.count - stored.files),
    totalBytes: Math.max(0, files.totalBytes - stored.sizeBytes),
  };
  const { message, hint = null } = refusal;
  return {
    refusal: {
      message,
      hint,
      isCertain: (await refusalOf(ctx, least)) !== null,
      asksToConfirm: hint !== null && hint === (await unconfirmedHint(ctx)),
    },
  };
}

async function refusalOf(ctx: AccountContext, files: Amount): Promise<AppError | null> {
  try {
    await requireRoomToSend(ctx, files);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'quota_exhausted') return error;
    throw error;
  }
}
