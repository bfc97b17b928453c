import { parseArgs } from 'node:util';
import { BETA_MONTHS } from '../../routers/schemas/limits.ts';
import { PAID_PLANS, PLANS } from '../../routers/schemas/plans.ts';
import { AppError } from '../lib/errors.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';
import {
  allLicenses,
  endLicense,
  type ListedLicense,
  makeLicenses,
  type NewLicenses,
} from '../plans/licenses/operate.ts';

type Write = (text: string) => void;

/** A transaction with this many rows is far below MongoDB's limit (16 MB of its log). */
const COUNT_MAX = 1_000;
const MONTHS_MAX = 120;
const NOTE_MAX = 200;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the work of a `license` command on the database; null when there is no such command. */
export function licenseWork([action = 'list', ...rest]: string[], write: Write): (() => Promise<void>) | null {
  if (action === 'create') {
    const options = readCreateOptions(rest, new Date());
    return () => createKeys(options, write);
  }
  if (action === 'list' && rest.length === 0) return () => listKeys(write);
  const [idOrKey, ...more] = rest;
  if (action !== 'revoke' || idOrKey === undefined || more.length > 0) return null;
  return () => revokeKey(idOrKey, write);
}

/** Reads the options of `license create`. Throws StartError with a sentence that names the option and a valid value. */
function readCreateOptions(words: string[], now: Date): NewLicenses {
  const { plan, months, count = '1', note = '', 'redeem-by': redeemBy } = parse(words);
  const known = PAID_PLANS.find((one) => one === plan?.toUpperCase());
  if (known === undefined) throw wrong(`--plan takes ${PAID_PLANS.join(', ')}`, plan);
  if (months === undefined && known !== 'BETA') throw wrong(`--months takes a number from 1 to ${MONTHS_MAX}`, months);
  const lasts = wholeNumber('--months', months ?? String(BETA_MONTHS), MONTHS_MAX);
  if (known === 'BETA' && lasts !== BETA_MONTHS) throw wrong(`Beta always lasts ${BETA_MONTHS} months`, months);
  if (note.length > NOTE_MAX) throw wrong(`--note takes up to ${NOTE_MAX} characters`, `${note.slice(0, 20)}…`);
  return {
    plan: known,
    months: lasts,
    count: wholeNumber('--count', count, COUNT_MAX),
    redeemBy: redeemBy === undefined ? null : endOfDay(redeemBy, now),
    note: note.replace(/\s+/g, ' ').trim(),
  };
}

/**
 * Makes keys and writes each on a line of its own, and nothing else, so that the output can go straight into a file.
 */
async function createKeys(options: NewLicenses, write: Write): Promise<void> {
  const keys = await makeLicenses(options, new Date());
  write(`${keys.join('\n')}\n`);
}

/** Writes one line for each license: id, start of the key, plan, time, and state. */
async function listKeys(write: Write): Promise<void> {
  let isEmpty = true;
  for await (const license of allLicenses()) {
    isEmpty = false;
    write(`${lineOf(license)}\n`);
  }
  if (isEmpty) write('There are no license keys; "fairlead license create" creates some.\n');
}

/** Ends a license by its id or its key. Throws StartError when it does not exist or has ended already. */
async function revokeKey(idOrKey: string, write: Write): Promise<void> {
  try {
    const { id, plan, wasRedeemed } = await endLicense(idOrKey, new Date());
    const effect = wasRedeemed ? 'its holder loses the time that was left' : 'nobody can redeem it now';
    write(`The license "${id}" for ${PLANS[plan].title} is revoked: ${effect}.\n`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The whole key is a secret, so the text that was typed is not repeated.
    const way = error.code === 'not_found' ? ' "fairlead license list" shows all of them.' : '';
    throw new StartError(EXIT_FAILED, `${error.message}${way}`, error);
  }
}

function parse(words: string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = { plan: text, months: text, count: text, note: text, 'redeem-by': text };
    return parseArgs({ args: words, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new StartError(EXIT_FAILED, error instanceof Error ? error.message : String(error), error);
  }
}

function wholeNumber(option: string, value: string, max: number): number {
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > max) throw wrong(`${option} takes a number from 1 to ${max}`, value);
  return number;
}

/** Returns the end of that day in UTC. */
function endOfDay(value: string, now: Date): Date {
  const start = DATE.test(value) ? new Date(`${value}T00:00:00Z`) : new Date(Number.NaN);
  // Some engines move an impossible date, like 30 February, on.
  const isDate = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(value);
  if (!isDate) throw wrong('--redeem-by takes a date like 2030-12-31', value);
  const end = new Date(start.getTime() + 86_400_000);
  if (end <= now) throw wrong('--redeem-by takes today or a later date', value);
  return end;
}

function wrong(rule: string, value: string | undefined): StartError {
  return new StartError(EXIT_FAILED, `${rule}${value === undefined ? '.' : `, not "${value}".`}`);
}

function lineOf({ id, prefix, plan, months, createdAt, note, ...license }: ListedLicense): string {
  const time = months === null ? 'the rest of another license' : `${months} mo`;
  const parts = [id, `${prefix}…`, plan, time, `created ${day(createdAt)}`, stateOf(license), note];
  return parts.filter((part) => part !== '').join('  ');
}

type Fate = Pick<ListedLicense, 'state' | 'holder' | 'redeemedAt' | 'redeemBy' | 'endsAt'>;

function stateOf({ state, holder, redeemedAt, redeemBy, endsAt }: Fate): string {
  const by = holder === null ? '' : ` by ${holder}`;
  if (state === 'redeemed') return `redeemed ${day(redeemedAt)}${by}, until ${day(endsAt)}`;
  if (state === 'transferred') return `transferred${by}`;
  if (state === 'revoked') return redeemedAt === null ? 'revoked' : `revoked, redeemed ${day(redeemedAt)}${by}`;
  return redeemBy === null ? 'not redeemed' : `not redeemed, can be redeemed until ${day(redeemBy)}`;
}

function day(date: Date | null): string {
  return date === null ? '-' : date.toISOString().slice(0, 10);
}
