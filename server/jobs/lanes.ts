import type { JobName } from './payloads.ts';

/**
 * Which jobs share workers, and how many run at once. Short work, such as mail, never waits behind releases; of one
 * account only so many jobs of a lane run at once, so that others find a place while its long ones last.
 */
export type LaneName = 'messages' | 'releases' | 'removals' | 'followUps' | 'upkeep';
/** `loops` are of an instance: its processes share them. */
export type Lane = { loops: number; perAccount: number };

export const LANES: Record<LaneName, Lane> = {
  messages: { loops: 2, perAccount: 1 },
  releases: { loops: 4, perAccount: 2 },
  removals: { loops: 2, perAccount: 1 },
  /** Compression takes all cores that it gets, and none of it is urgent. */
  followUps: { loops: 1, perAccount: 1 },
  upkeep: { loops: 2, perAccount: 1 },
};

const LANE_OF: Record<JobName, LaneName> = {
  'send-mail': 'messages',
  'forgot-password': 'messages',
  'deploy-release': 'releases',
  'publish-destination': 'releases',
  'remove-destination': 'removals',
  'remove-deployment': 'removals',
  'delete-account': 'removals',
  'compress-release': 'followUps',
  'report-corruption': 'followUps',
  'collect-garbage': 'upkeep',
  'check-integrity': 'upkeep',
  'recount-deployments': 'upkeep',
};

/** Returns the jobs of a lane, of those that a worker has a handler for. */
export function namesOf(lane: string, names: readonly string[]): string[] {
  return Object.entries(LANE_OF).flatMap(([name, its]) => (its === lane && names.includes(name) ? [name] : []));
}
