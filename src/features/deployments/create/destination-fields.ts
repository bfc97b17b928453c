import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { PLATFORM_OPTIONS, type PlatformOptions } from '../../../../routers/schemas/platforms/options.ts';

/** Where something is published, as a form holds it: of a new deployment, or of one more destination. */
export type DestinationFields = {
  platform: PlatformId;
  connectionId?: string | undefined;
  targetId?: string | undefined;
  options?: PlatformOptions | undefined;
};

/** What a form sends: what was chosen for one platform does not go with another. */
export function destinationOf({ platform, connectionId, targetId, options }: DestinationFields) {
  const needsConnection = PLATFORM_CAPABILITIES[platform]?.requires.includes('connection');
  return {
    platform,
    ...(needsConnection && connectionId !== undefined && { connectionId }),
    ...(needsConnection && targetId !== undefined && { targetId }),
    ...(options !== undefined && Object.keys(options).length > 0 && { options }),
  };
}

export type Consent = { name: string; words: string };

/** What a platform wants to be agreed to: of its options those that only a person can give, as their schema says. */
export function consentsOf(platform: PlatformId): Consent[] {
  const issues = PLATFORM_OPTIONS[platform].safeParse({}).error?.issues ?? [];
  return issues.flatMap(({ code, path, message }) =>
    code === 'invalid_value' ? [{ name: String(path[0]), words: message }] : [],
  );
}

/** Why it cannot be published there yet, an account that is still being looked up included; null once nothing is missing. */
export function missingChoice({ platform, connectionId, options }: DestinationFields): string | null {
  const needsConnection = PLATFORM_CAPABILITIES[platform]?.requires.includes('connection');
  if (needsConnection && connectionId === undefined) return `Choose your ${PLATFORMS[platform].title} account first.`;
  const isMissing = consentsOf(platform).some(({ name }) => options?.[name] !== true);
  return isMissing ? 'Tick what you agree to first.' : null;
}
