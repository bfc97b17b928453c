import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { ListedRelease, Release } from '../../../../routers/schemas/releases.ts';

type Released = Pick<Release, 'platform'>;

/** Returns the platform where rolling back to a release is done by hand; null when it is done from here. */
export function goneBackAt({ platform }: Released): string | null {
  return PLATFORM_CAPABILITIES[platform]?.rollBack === null ? PLATFORMS[platform].title : null;
}

/** The words of making a release live again. */
export type WayTexts = {
  /** The first two words of `label`. */
  act: string;
  /** The look of the arrow back: mirrored, it leads ahead. */
  arrow?: string;
  label: string;
  question: (owner: string) => string;
  busy: string;
  failed: string;
};

/** Returns the words: one rolls back to an earlier release than the live one, and brings back a later one. */
export function wayTexts({ number, servingNumber }: Pick<ListedRelease, 'number' | 'servingNumber'>): WayTexts {
  if (servingNumber !== null && number > servingNumber) {
    return {
      act: 'Bring back',
      arrow: '-scale-x-100',
      label: `Bring back release ${number}`,
      question: (owner) => `Bring back release ${number} of ${owner}?`,
      busy: 'Bringing it back…',
      failed: 'Could not bring it back',
    };
  }
  return {
    act: 'Roll back',
    label: `Roll back to release ${number}`,
    question: (owner) => `Roll back ${owner} to release ${number}?`,
    busy: 'Rolling back…',
    failed: 'Could not roll back',
  };
}

/** Returns whether the release is still at its platform; after a move its files are sent to the new one. */
export function isKeptThere({ platform, destinations }: Pick<Release, 'platform' | 'destinations'>): boolean {
  return destinations.some((one) => one.platform === platform && one.state === 'live');
}

/** Returns when visitors see a release again after a rollback: "in about a second". */
export function seenAgainText({ platform }: Released, isKept: boolean): string {
  const { title } = PLATFORMS[platform];
  const rollBack = PLATFORM_CAPABILITIES[platform]?.rollBack;
  if (!isKept) return `once its files are on ${title}`;
  if (!rollBack) return 'once the rollback is done';
  const why = rollBack.again ? `, since ${title} ${rollBack.again} it again` : '';
  return `in ${rollBack.takes}${why}`;
}
