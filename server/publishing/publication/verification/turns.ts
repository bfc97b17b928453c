import type { Writer } from '../publish.ts';
import { type ReleaseWork, savePublished } from '../release-work.ts';
import type { Turns, VerificationProgress } from './compare-answers.ts';

/** One list for the release's own address, and one for the public address. */
const LISTS = 2;

/** Stores the results of each turn of verification with the release at its destination. */
export function createTurns(job: Writer, work: ReleaseWork): Turns {
  const { release, published } = work;
  const begunAt = published.startedAt ?? release.startedAt;
  return {
    // Another publication at the same destination uses none of these results.
    act: `${published.actId ?? release._id} ${begunAt?.getTime()}`,
    looked: () => published.looked.map(fromLine),
    async save(looked) {
      const others = published.looked.filter((line) => fromLine(line).of !== looked.of);
      const kept = [toLine(looked), ...others].slice(0, LISTS);
      await job.transaction((session) => savePublished(session, work, { looked: kept }));
    },
  };
}

function toLine({ of, seen, spentMs }: VerificationProgress): string {
  return `${of} ${spentMs} ${seen.toString('base64')}`;
}

function fromLine(line: string): VerificationProgress {
  const [of = '', spentMs = '', seen = ''] = line.split(' ');
  return { of, seen: Buffer.from(seen, 'base64'), spentMs: Number(spentMs) };
}
