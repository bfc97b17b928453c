import { CONNECTION_TITLES } from '../../../../routers/schemas/connection-titles.ts';
import type { Connection } from '../../../../routers/schemas/connections.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { optionFieldsOf, PAYMENT_CONSENT } from '../../../../routers/schemas/platforms/option-fields.ts';
import { PLATFORM_OPTIONS, type PlatformOptions } from '../../../../routers/schemas/platforms/options.ts';
import { trpc } from '../../../api/trpc.ts';
import { paths } from '../../../lib/paths/paths.ts';

/** The fields of a form for a place of publication: of a new deployment, or of one more destination. */
export type DestinationFields = {
  platform: PlatformId;
  connectionId?: string | undefined;
  targetId?: string | undefined;
  options?: PlatformOptions | undefined;
};

/** Returns the input to send: the choices for one platform are not sent with another. */
export function destinationOf({ platform, connectionId, targetId, options }: DestinationFields) {
  const needsConnection = PLATFORM_CAPABILITIES[platform]?.requires.includes('connection');
  const chosen = chosenOptions(options);
  return {
    platform,
    ...(needsConnection && connectionId !== undefined && { connectionId }),
    ...(needsConnection && targetId !== undefined && { targetId }),
    ...(Object.keys(chosen).length > 0 && { options: chosen }),
  };
}

/** Returns the chosen options; an empty field counts as not chosen. */
function chosenOptions(options: PlatformOptions = {}): PlatformOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== '' && value !== undefined));
}

/**
 * Returns the problem of one of the platform's settings, by its own rule; undefined when it has none, or is not set.
 */
export function optionProblem(
  { platform, options }: Pick<DestinationFields, 'platform' | 'options'>,
  name: string,
): string | undefined {
  const chosen = chosenOptions(options);
  if (chosen[name] === undefined) return undefined;
  const issues = PLATFORM_OPTIONS[platform].safeParse(chosen).error?.issues ?? [];
  return issues.find(({ path }) => path[0] === name)?.message;
}

/**
 * Reads the platform's settings from the address. An unknown choice is left out; a text with a problem is kept, since
 * without it the site would go elsewhere.
 */
export function optionsIn(platform: PlatformId, search: URLSearchParams): PlatformOptions {
  const named = optionFieldsOf(platform).flatMap(({ name, choices }) => {
    const value = search.get(name) ?? '';
    const isKnown = choices === undefined || choices.some((choice) => choice.value === value);
    return value !== '' && isKnown ? [[name, value] as const] : [];
  });
  return Object.fromEntries(named);
}

/** Returns the address of a new deployment there, with these settings. */
export function pathToNew({ platform, options }: Pick<DestinationFields, 'platform' | 'options'>): string {
  const search = new URLSearchParams({ platform });
  for (const { name } of optionFieldsOf(platform)) {
    const value = String(options?.[name] ?? '');
    if (value !== '') search.set(name, value);
  }
  return `${paths.newDeployment}?${search}`;
}

export type Consent = { name: string; words: string };

/**
 * Returns the consents that a platform needs: by its schema, the options that only a person can give. A price is that
 * of the chosen option.
 */
export function consentsOf({ platform, options }: Pick<DestinationFields, 'platform' | 'options'>): Consent[] {
  const issues = PLATFORM_OPTIONS[platform].safeParse({}).error?.issues ?? [];
  return issues.flatMap(({ code, path, message }) => {
    if (code !== 'invalid_value') return [];
    const name = String(path[0]);
    const price = name === PAYMENT_CONSENT ? chosenPrice(platform, options) : undefined;
    return [{ name, words: price === undefined ? message : `I agree to pay ${PLATFORMS[platform].title} ${price}.` }];
  });
}

function chosenPrice(platform: PlatformId, options: PlatformOptions = {}): string | undefined {
  for (const { name, choices = [] } of optionFieldsOf(platform)) {
    const chosen = choices.find(({ value }) => value === options[name]) ?? choices[0];
    if (chosen?.price !== undefined) return chosen.price;
  }
  return undefined;
}

/**
 * Does the same with the state of the chosen accounts: otherwise a refused one would only be reported after sending.
 */
export function useMissingChoice(fields: DestinationFields): string | null {
  const { data } = trpc.connections.list.useQuery(undefined, { enabled: accountsFor(fields).length > 0 });
  return missingChoice(fields, data?.items);
}

/** Returns whether an account is missing, once the accounts are known. */
export function useLacksAccount(fields: DestinationFields): boolean {
  const accounts = accountsFor(fields);
  const { isSuccess } = trpc.connections.list.useQuery(undefined, { enabled: accounts.length > 0 });
  return isSuccess && accounts.some(({ chosen }) => chosen === undefined);
}

/**
 * Returns why it cannot be published there yet, which includes an account that is still being loaded; null once
 * nothing is missing.
 */
export function missingChoice(fields: DestinationFields, connections?: readonly Connection[]): string | null {
  const { platform, options } = fields;
  for (const { provider, chosen } of accountsFor(fields)) {
    const title = CONNECTION_TITLES[provider];
    if (chosen === undefined) {
      const isThere = connections?.some((connection) => connection.provider === provider) !== false;
      return `${isThere ? 'Choose' : 'Connect'} your ${title} account first.`;
    }
    const isBroken = connections?.find(({ id }) => id === chosen)?.state === 'broken';
    if (isBroken) return `Replace the token of ${title} first.`;
  }
  const isMissing = consentsOf({ platform, options }).some(({ name }) => options?.[name] !== true);
  if (isMissing) return 'First tick the box to agree.';
  const problems = optionFieldsOf(platform).map(({ name }) => optionProblem({ platform, options }, name));
  return problems.find((problem) => problem !== undefined) ?? null;
}

/** Returns the accounts that a platform is published through, each with the chosen one. */
function accountsFor({ platform, connectionId, options = {} }: DestinationFields) {
  const { requires = [], furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const own = requires.includes('connection') ? [{ provider: platform, chosen: connectionId }] : [];
  return [...own, ...furtherConnections.map(({ provider, option }) => ({ provider, chosen: options[option] }))];
}
