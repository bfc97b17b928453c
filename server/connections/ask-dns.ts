import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import { DNS_PROVIDERS, type DnsCredential, type DnsProviderId } from '../../routers/schemas/dns-providers.ts';
import type { AccountContext, Providers } from '../context.ts';
import type { ConnectionDoc } from '../database/models/connection.ts';
import type { DnsConnectionInfo, DnsProvider, DnsProviderCall } from '../dns/provider.ts';
import { AppError } from '../lib/errors.ts';
import { bounded, countTest, whilePersonWaits } from './ask-platform.ts';
import { openDnsCredential, recordRefusal } from './credentials.ts';

type Ask<T> = (provider: DnsProvider, call: DnsProviderCall) => Promise<T>;

/**
 * Asks a DNS provider for the account of this credential, while a person waits. Throws the errors of the provider; a
 * refused credential is reported at its field.
 */
export async function askWhoseDns(
  ctx: AccountContext,
  credential: DnsCredential,
  signal?: AbortSignal,
): Promise<DnsConnectionInfo> {
  const { provider } = credential;
  const adapter = adapterOf(ctx.providers, provider);
  await countTest(ctx.actor.accountId);
  const ask = async (ends: AbortSignal) =>
    bounded(await adapter.verify(callWith(ctx.providers, credential, ends)), secretsOf(credential));
  return whilePersonWaits(ctx, provider, ask, signal).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'credentials_invalid') throw atField(provider, error);
    if (error instanceof AppError && error.code === 'platform_failed') throw beforeAnyZone(error);
    throw error;
  });
}

/** Replaces the adapter's advice, which is about a zone: so far a person has only filled in the fields. */
function beforeAnyZone(error: AppError): AppError {
  const { code, message, raw } = error;
  return new AppError(code, message, { hint: 'Check what you entered, then try again.', raw, cause: error });
}

/**
 * Runs work at the DNS provider of this connection, until `signal` ends it. A refused credential turns the connection
 * `broken` and is thrown on, as is every other error of server/dns/provider.ts. Throws `platform_unavailable` when
 * this version cannot write there.
 */
export async function withDnsConnection<T>(
  providers: Providers,
  connection: ConnectionDoc,
  signal: AbortSignal,
  work: Ask<T>,
): Promise<T> {
  const credential = openDnsCredential(providers, connection);
  try {
    return await work(adapterOf(providers, credential.provider), callWith(providers, credential, signal));
  } catch (error) {
    await recordRefusal(connection, error);
    throw error;
  }
}

/** Does the same while a person waits, with errors in words for one. */
export async function askDns<T>(ctx: AccountContext, connection: ConnectionDoc, work: Ask<T>): Promise<T> {
  await countTest(ctx.actor.accountId);
  return whilePersonWaits(ctx, connection.provider, (ends) => withDnsConnection(ctx.providers, connection, ends, work));
}

function adapterOf({ dnsProviders }: Providers, id: DnsProviderId): DnsProvider {
  const adapter = dnsProviders[id];
  if (adapter !== undefined) return adapter;
  throw new AppError(
    'platform_unavailable',
    `Writing records at ${CONNECTION_TITLES[id]} is not available in this version.`,
  );
}

function callWith({ egress, wait, now }: Providers, { fields }: DnsCredential, signal: AbortSignal): DnsProviderCall {
  return { egress, credentials: fields, signal, wait, now: () => now() };
}

function secretsOf({ provider, fields }: DnsCredential): string[] {
  const secrets = new Set(DNS_PROVIDERS[provider].fields.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])));
  return Object.entries(fields).flatMap(([name, value]) => (secrets.has(name) ? [String(value)] : []));
}

/** Reports a refusal at its field: the one that the provider names, else the secret. */
function atField(id: DnsProviderId, error: AppError): AppError {
  const secret = DNS_PROVIDERS[id].fields.find(({ isSecret }) => isSecret === true);
  const field = `fields.${error.field ?? secret?.name}`;
  const generic = `${CONNECTION_TITLES[id]} does not accept this ${DNS_PROVIDERS[id].credential}.`;
  const message = error.field === undefined ? generic : error.message;
  return new AppError('credentials_invalid', message, {
    field,
    fieldErrors: { [field]: message },
    raw: error.raw,
    cause: error,
  });
}
