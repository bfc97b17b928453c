import { expect, test } from 'vitest';
import type { ListedRelease, RollBack } from '../../routers/schemas/releases.ts';
import { cutSlug, slugFromName } from '../../routers/schemas/slug.ts';
import type { ReleaseState } from '../../routers/schemas/state-names.ts';
import { entryQuestion } from '../../src/features/deployments/select/entry-question.tsx';
import { historyEntries, rollBackText } from '../../src/features/releases/history/history-entries.ts';
import {
  differenceTitle,
  isCancellable,
  isRetryable,
  wasSeenLive,
} from '../../src/features/releases/release-labels.ts';
import { deploymentLabel } from '../../src/lib/deployment-label.ts';
import { isRollingBack } from '../../src/lib/roll-back.ts';
import { releaseOf } from '../support/screen-fixtures.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 21, 12, minute));

function release(number: number, minute: number, state: ReleaseState = 'superseded'): ListedRelease {
  return releaseOf({ number, state, createdAt: at(minute), startedAt: at(minute), finishedAt: at(minute) });
}

function rollBack(id: string, minute: number): RollBack {
  return {
    id,
    deploymentId: 'd',
    deploymentName: 'Harbour',
    deploymentSlug: 'harbour',
    url: 'http://harbour.localhost:3001',
    fromNumber: 3,
    toNumber: 1,
    createdBy: 'sailor',
    state: 'done',
    createdAt: at(minute),
    endedAt: at(minute),
  };
}

test('a history is in the order of time, roll backs among the releases', () => {
  const releases = [release(3, 30), release(2, 20), release(1, 10, 'live')];
  const rollBacks = [rollBack('later', 40), rollBack('between', 25)];
  const ids = (isPinned: boolean) => historyEntries(releases, rollBacks, isPinned).map(({ id }) => id);
  expect(ids(false)).toEqual(['later', 'release-3', 'between', 'release-2', 'release-1']);
  expect(ids(true)).toEqual(['release-1', 'later', 'release-3', 'between', 'release-2']);
});

test('a rollback is named by the release before it and the one after it', () => {
  expect(rollBackText(rollBack('earlier', 40))).toBe('release 3 → release 1');
});

test('what can be done with a release follows from its state and from whether it was finished once', () => {
  const done = at(1);
  expect(isCancellable({ state: 'uploading', finishedAt: null })).toBe(true);
  expect(isRollingBack({ state: 'verifying', finishedAt: null })).toBe(false);
  expect(isRollingBack({ state: 'verifying', finishedAt: done })).toBe(true);
  expect(isCancellable({ state: 'verifying', finishedAt: done })).toBe(false);
  expect(isCancellable({ state: 'live', finishedAt: done })).toBe(false);
  const states: ReleaseState[] = ['queued', 'verifying', 'live', 'superseded', 'failed', 'cancelled'];
  expect(states.filter((state) => isRetryable({ state }))).toEqual(['failed', 'cancelled']);
  expect(states.filter((state) => wasSeenLive({ state }))).toEqual(['live', 'superseded']);
});

test('a list of differences says which release it is about', () => {
  expect(differenceTitle(1, null)).toBe('Files');
  expect(differenceTitle(5, 4)).toBe('Changes from release 4 to 5');
});

test('who publishes without an entry page is told what visitors will see, and of the finished folder inside', () => {
  const inspection = { buildFolder: null } as const;
  expect(entryQuestion(inspection).description).toContain('sees “not found”');
  expect(entryQuestion(inspection).description).not.toContain('instead');
  expect(entryQuestion({ buildFolder: 'dist' }).description).toContain('The folder dist looks like the finished');
});

test('a deployment whose address is not made of its name alone is called by both', () => {
  const here = (name: string, slug: string) => deploymentLabel({ name, slug, url: `http://${slug}.localhost:3001` });
  expect(here('Müllers Café', 'muellers-cafe')).toBe('Müllers Café');
  expect(here('Müllers Café', 'muellers-cafe-2')).toBe('Müllers Café (muellers-cafe-2)');
  expect(here('Harbour', 'quay')).toBe('Harbour (quay)');
});

test('a name from right to left is isolated from what follows it', () => {
  const url = 'http://website-3.localhost:3001';
  expect(deploymentLabel({ name: 'בית הקפה', slug: 'website-3', url })).toBe('\u2068בית הקפה\u2069 (website-3)');
  expect(deploymentLabel({ name: 'harbour المقهى', slug: 'harbour', url })).toBe('\u2068harbour المقهى\u2069');
});

test('a number that a platform did not need is not in the label of what is there', () => {
  const cafe = { name: 'Harbour Cafe', slug: 'harbour-cafe-2' };
  const at = (url: string) => deploymentLabel({ ...cafe, url });
  expect(at('https://harbour-cafe.netlify.app')).toBe('Harbour Cafe (harbour-cafe.netlify.app)');
  expect(at('https://ada.github.io/harbour-cafe')).toBe('Harbour Cafe (ada.github.io/harbour-cafe)');
  expect(at('https://harbour-cafe-2.netlify.app')).toBe('Harbour Cafe (harbour-cafe-2)');
  expect(at('')).toBe('Harbour Cafe (harbour-cafe-2)');
});

test('an address is cut between words, and within one only where it is longer than all there is room for', () => {
  expect(slugFromName('Müllers Café 2')).toBe('muellers-cafe-2');
  expect(slugFromName('Żółw i Łódź')).toBe('zolw-i-lodz');
  expect(slugFromName('Þórður, Œuvre Ærø: Straße')).toBe('thordur-oeuvre-aero-strasse');
  expect(slugFromName('  --  ')).toBe('');
  expect(cutSlug('one-two-three', 13)).toBe('one-two-three');
  expect(cutSlug('one-two-three', 12)).toBe('one-two');
  // The word before the limit fits exactly.
  expect(cutSlug('one-two-three', 7)).toBe('one-two');
  expect(cutSlug('one-two-three', 6)).toBe('one');
  expect(cutSlug('abcdefgh', 5)).toBe('abcde');
  expect(slugFromName(`${'harbour '.repeat(9)}museum`)).toBe('harbour-harbour-harbour-harbour-harbour-harbour');
});
