import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import {
  DNS_PROVIDERS,
  type DnsFieldFacts,
  type DnsProviderFacts,
  type DnsProviderId,
  isDnsProvider,
} from '../../../routers/schemas/dns-providers.ts';
import type { ConnectionProvider } from '../../../routers/schemas/platforms/ids.ts';
import { TOKEN_GUIDES } from '../../../routers/schemas/platforms/token-guides.ts';

export type AnyProvider = ConnectionProvider | DnsProviderId;

/**
 * The content of the fields, under the names that the server uses for their errors; numbers are text until they are
 * sent.
 */
export type CredentialForm = { provider: AnyProvider; token: string; fields: Record<string, string> };

/** Instructions for making the credential of one provider, and the fields of its form. */
export type CredentialGuide = Omit<DnsProviderFacts, 'called'> & { create: string };

export function guideFor(provider: AnyProvider): CredentialGuide {
  const title = CONNECTION_TITLES[provider];
  if (isDnsProvider(provider)) {
    const facts = DNS_PROVIDERS[provider];
    return { ...facts, create: `Create the ${facts.credential} at ${title}` };
  }
  const { name, ...guide } = TOKEN_GUIDES[provider];
  const fields = [{ name: 'token', label: name, isSecret: true }] as const;
  return { ...guide, credential: name.toLowerCase(), create: `Create a token at ${title}`, fields };
}

/** Returns the path of a field in the form. */
export function pathOf(provider: AnyProvider, name: string): 'token' | `fields.${string}` {
  return isDnsProvider(provider) ? `fields.${name}` : 'token';
}

/** Returns an empty form, with the first choice of each list. */
export function emptyForm(provider: AnyProvider): CredentialForm {
  const fields = guideFor(provider).fields.map(({ name, choices }) => [name, choices?.[0] ?? '']);
  return { provider, token: '', fields: Object.fromEntries(fields) };
}

/** Returns the input to send: an optional empty field is left out. */
export function inputOf({ provider, token, fields }: CredentialForm) {
  if (!isDnsProvider(provider)) return { provider, token };
  const asked = DNS_PROVIDERS[provider].fields.filter(
    ({ name, isOptional }) => isOptional !== true || fields[name]?.trim() !== '',
  );
  return { provider, fields: Object.fromEntries(asked.map((facts) => [facts.name, sentValue(facts, fields)])) };
}

function sentValue({ name, isNumber }: DnsFieldFacts, { [name]: text = '' }: CredentialForm['fields']) {
  return isNumber === true ? Number(text) : text;
}
