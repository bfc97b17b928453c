import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { type LimitRefusal, refusalByLimits } from '../../../../routers/schemas/platforms/limits.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';

/** Caches by report: it does not change, and may have thousands of files. */
const known = new WeakMap<SelectionReport, Map<PlatformId, LimitRefusal | null>>();

/** Returns why the platform does not accept these files, by its published limits; null when it does. */
export function limitRefusal(platform: PlatformId, report: SelectionReport): LimitRefusal | null {
  const answers = known.get(report) ?? new Map<PlatformId, LimitRefusal | null>();
  known.set(report, answers);
  const answer = answers.get(platform);
  if (answer !== undefined) return answer;
  const capabilities = PLATFORM_CAPABILITIES[platform];
  const refusal =
    capabilities === undefined ? null : refusalByLimits(capabilities, PLATFORMS[platform].title, report.reading.files);
  answers.set(platform, refusal);
  return refusal;
}
