import { besideName } from '../challenge-name.ts';
import type { RecordType, ServerAnswer } from '../dns-client.ts';
import { cnameInPlaceText, doubledText, othersAtCnameText, type RecordPlanConflict } from '../record-plan/conflicts.ts';

type Ask = (name: string, type: RecordType) => Promise<readonly ServerAnswer[]>;
type Unseen = { type: string; name: string; value: string };

/**
 * Returns the conflict that keeps a record from its name servers, whose `answers` are without it: it was added with the
 * domain twice in its name, or a CNAME allows no other record, also where the name has addresses in place of its CNAME.
 * Null when none is seen. It asks about a few names.
 */
export async function conflictOfUnseen(
  ask: Ask,
  { type, name, value }: Unseen,
  { apex, answers }: { apex: string; answers: readonly ServerAnswer[] },
): Promise<(RecordPlanConflict & { hint: string }) | null> {
  if (answers.every(({ values }) => values === null)) return null;
  const alias = answers.find(({ cname }) => cname !== null)?.cname ?? null;
  const beside = () => (type === 'CNAME' && name !== apex ? othersBeside(ask, name) : null);
  if (answers.some(({ values }) => values?.length)) return alias === null ? beside() : null;
  const isText = type === 'TXT' || type === 'CAA';
  if (alias !== null) {
    if (!isText || !(await isOwn(ask, name, 'CNAME'))) return null;
    return { code: 'cname_beside_others', ...cnameInPlaceText(name, alias, [type]) };
  }
  const doubled = `${name}.${apex}`;
  const askedType = isText || type === 'AAAA' ? type : 'A';
  const there = (await ask(doubled, askedType)).find(({ cname, values }) => cname === value || values?.includes(value));
  if (there !== undefined && (await isOwn(ask, doubled, askedType))) {
    const message = doubledText(there.cname === null ? askedType : 'CNAME', doubled, apex);
    const relative = name === apex ? '@' : name.slice(0, -apex.length - 1);
    return { code: 'doubled_name', message, hint: `Change its name there to ${relative}.` };
  }
  return beside();
}

async function othersBeside(ask: Ask, name: string): ReturnType<typeof conflictOfUnseen> {
  const others = ['TXT', 'MX'] as const;
  const areOwn = await Promise.all(others.map((other) => isOwn(ask, name, other)));
  const types = others.filter((_, index) => areOwn[index]);
  return types.length === 0 ? null : { code: 'cname_beside_others', ...othersAtCnameText(name, types) };
}

/** Returns whether a name has an answer of its own: a wildcard gives the same one for an unused name beside it. */
async function isOwn(ask: Ask, name: string, type: RecordType): Promise<boolean> {
  const textAt = async (at: string): Promise<string> => {
    const answer = (await ask(at, type)).find(({ values, cname }) => cname !== null || values?.length);
    return answer?.cname ?? answer?.values?.join() ?? '';
  };
  const text = await textAt(name);
  return text !== '' && text !== (await textAt(besideName(name)));
}
