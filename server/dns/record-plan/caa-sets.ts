import type { DomainRecord } from '../../publishing/platforms/platform.ts';
import { type CaaRefusal, judgeCaa, nearestCaa } from '../caa.ts';
import { caaPartsOf } from '../record-values.ts';
import { isWithin } from '../zone-names.ts';
import { type RecordPlanInput, type RequiredSet, setsOf } from './record-sets.ts';

/** The reason against a required authority, in the set that decides. */
export type ForbiddingSet = CaaRefusal & { name: string; issuer: string };

/**
 * CAA records say which authorities may issue certificates (RFC 8659). Without any, everybody may, so none are added:
 * they would exclude the authorities of other services on the same domain. If there are some, the required one is
 * added to the set that decides: the nearest up the tree.
 */
export function certificateSets(input: RecordPlanInput, required: readonly DomainRecord[]): readonly RequiredSet[] {
  return setsOf(
    required.flatMap((record) => {
      const set = forbiddingSet(input, record);
      if (set === null || set.add === null || !isWithin(set.name, input.zone.name)) return [];
      return [{ ...record, name: set.name, value: set.add }];
    }),
  );
}

/** Returns the set that forbids the authority of this record; null when it may issue, and for every other record. */
export function forbiddingSet(
  { zone, found, caaAbove, caa }: RecordPlanInput,
  { type, name, value }: DomainRecord,
): ForbiddingSet | null {
  const required = type === 'CAA' ? caaPartsOf(value) : null;
  const nearest = nearestCaa(found, zone.name, name) ?? caaAbove ?? null;
  if (required === null || nearest === null) return null;
  const [issuer = ''] = required.value.split(';').map((part) => part.trim().toLowerCase());
  const question = { ...caa, identities: [issuer], isWildcard: required.tag === 'issuewild' };
  const refusal = judgeCaa(nearest.values, question);
  return refusal === null ? null : { ...refusal, name: nearest.name, issuer };
}
