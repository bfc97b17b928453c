import { ArrowRightLeft, Ban, Check, Clock, History, type LucideIcon } from 'lucide-react';
import type { License, LicenseAct, LicenseStatus } from '../../../routers/schemas/licenses.ts';
import type { BadgeTone } from '../../components/badge.tsx';
import { formatDate } from '../../lib/format.ts';

export const STATUS_BADGES: Record<LicenseStatus, { tone: BadgeTone; icon: LucideIcon; word: string }> = {
  running: { tone: 'good', icon: Check, word: 'Active' },
  waiting: { tone: 'accent', icon: Clock, word: 'Next' },
  ended: { tone: 'unknown', icon: History, word: 'Ended' },
  replaced: { tone: 'unknown', icon: History, word: 'Replaced' },
  transferring: { tone: 'warn', icon: ArrowRightLeft, word: 'In transfer' },
  transferred: { tone: 'unknown', icon: ArrowRightLeft, word: 'Transferred' },
  revoked: { tone: 'bad', icon: Ban, word: 'Revoked' },
};

export const ACTS: Record<LicenseAct, string> = {
  created: 'Key created',
  redeemed: 'Redeemed',
  transferred: 'Transferred',
  accepted: 'Redeemed by another account',
  taken_back: 'Transfer revoked',
  revoked: 'Revoked',
};

/** Returns a sentence about what a license gives, and until when. */
export function statusText({ status, startsAt, endsAt }: License): string {
  switch (status) {
    case 'running':
      return `Runs until ${formatDate(endsAt)}.`;
    case 'waiting':
      return `Runs from ${formatDate(startsAt)} until ${formatDate(endsAt)}.`;
    case 'ended':
      return `Ended on ${formatDate(endsAt)}.`;
    case 'replaced':
      return 'A larger plan has taken its place.';
    case 'transferring':
      return `Nobody has redeemed the new key yet. Meanwhile the license keeps running, and ends on ${formatDate(endsAt)}.`;
    case 'transferred':
      return 'Another account has redeemed it.';
    case 'revoked':
      return 'The operator of this Fairlead has ended it.';
  }
}
