import { domainNameIn } from '../../../../routers/schemas/domain-name.ts';
import type { DomainNameCheck } from '../../../../routers/schemas/domains.ts';
import { trpc } from '../../../api/trpc.ts';
import { useDebounced } from '../../../lib/browser/use-debounced.ts';

/** Returns the check of the name that is being typed; undefined until the server has answered for exactly this name. */
export function useDomainNameCheck(text: string): DomainNameCheck | undefined {
  const typed = text.trim();
  const debounced = useDebounced(typed);
  const name = domainNameIn(debounced);
  const check = trpc.domains.checkName.useQuery({ name: name ?? '' }, { enabled: name !== null });
  return debounced === typed && name !== null ? check.data : undefined;
}
