import { searchKey } from '../../../routers/schemas/normal-form.ts';
import type { AccountContext } from '../../context.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';

/** More than anybody reads: a longer text finds fewer. */
const DOMAINS_MAX = 200;

/** Returns the text that a search of the list is compared with: the name, and the first part of the address. */
export function listKey({ name, slug }: { name: string; slug: string }): string {
  return `${searchKey(name)}\n${slug}`;
}

/** Returns the filter of a list for a part of the name, of the site's address, or of a domain of its own. */
export async function searchFilter(ctx: AccountContext, text: string): Promise<Record<string, unknown>> {
  const words = searchKey(text.trim());
  if (words === '') return {};
  // An address is pasted whole.
  const place = words.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '');
  const host = place.split(/[:/]/)[0] ?? '';
  const ways: Record<string, unknown>[] = [{ nameKey: { $regex: escapeRegExp(words) } }];
  if (host === '') return { $or: ways };
  const { sitesDomain } = ctx.providers.addresses;
  const slugEnd = host.indexOf('.');
  if (slugEnd > 0 && `.${sitesDomain}`.startsWith(host.slice(slugEnd)))
    ways.push({ nameKey: { $regex: `${escapeRegExp(host.slice(0, slugEnd))}$` } });
  // Not what every address of a platform has: "netlify" finds no name.netlify.app.
  ways.push({ 'destinations.url': { $regex: `^https?://(?:[^./]*|[^/]+/.*)${escapeRegExp(place)}` } });
  const domains = await DomainModel.find(
    { accountId: ctx.actor.accountId, name: { $regex: `${escapeRegExp(host)}${host.includes('.') ? '' : '.*\\.'}` } },
    { deploymentId: 1 },
  )
    .limit(DOMAINS_MAX)
    .lean();
  return { $or: [...ways, { _id: { $in: domains.map(({ deploymentId }) => deploymentId) } }] };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
