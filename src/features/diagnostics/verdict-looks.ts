import { Check, CircleDashed, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { CheckVerdict } from '../../../routers/schemas/diagnostics.ts';
import type { BadgeTone } from '../../components/badge.tsx';

export const VERDICT_LOOKS: Record<CheckVerdict, { tone: BadgeTone; icon: LucideIcon; word: string }> = {
  pass: { tone: 'good', icon: Check, word: 'Pass' },
  warn: { tone: 'warn', icon: TriangleAlert, word: 'Warning' },
  fail: { tone: 'bad', icon: CircleX, word: 'Fail' },
  unknown: { tone: 'unknown', icon: CircleDashed, word: 'No result' },
};

export function isTrouble({ verdict }: { verdict: string }): boolean {
  return verdict === 'warn' || verdict === 'fail';
}
