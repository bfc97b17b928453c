import { useAddress } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import { wantedRedirect } from '../../lib/paths/safe-redirect.ts';
import { storeDraft } from '../../lib/storage/draft-storage.ts';
import { forgetFormDraft } from '../../lib/storage/form-draft.ts';
import { formDraftKey, tryStorage } from '../../lib/storage/storage.ts';

/** The checkout, which comes back to an address of its own, is a form that is left for another site. */
const CHECKOUT = 'checkout';

/**
 * Returns where somebody was going when they were asked to register, or when they went to the checkout; the plans
 * themselves do not count.
 */
export function useWanted(): string | null {
  const { search } = useAddress();
  const stored = tryStorage(() => sessionStorage.getItem(formDraftKey(CHECKOUT)));
  const wanted = wantedRedirect(new URLSearchParams(search).get('redirect') ?? stored, location.origin);
  const isHere = [paths.subscriptionPricing, paths.pricing].some((path) => wanted?.split(/[?#]/)[0] === path);
  return isHere ? null : wanted;
}

/** Keeps it for the return from the checkout, in this tab. */
export function storeWanted(wanted: string): void {
  storeDraft(CHECKOUT, wanted);
}

/** Forgets it once somebody goes there. */
export function forgetWanted(): void {
  forgetFormDraft(CHECKOUT);
}
