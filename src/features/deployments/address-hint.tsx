import type { AddressCheck } from '../../../routers/schemas/deployments.ts';
import { DEPLOYMENT_NAME_MAX, slugFromName } from '../../../routers/schemas/slug.ts';
import { trpc } from '../../api/trpc.ts';
import { HostName } from '../../components/host-name.tsx';
import { useSettled } from '../../lib/settled.ts';
import { addressOfSlug } from './sites-address.ts';

/**
 * What the server says of the address that a name makes; undefined until it has answered for this very name. Not asked
 * while `isPaused`: what is being created takes the address itself.
 */
export function useNameCheck(name: string, isPaused: boolean): AddressCheck | undefined {
  const settled = useSettled(name.trim());
  const isAsked = settled !== '' && settled.length <= DEPLOYMENT_NAME_MAX && !isPaused;
  const check = trpc.deployments.checkAddress.useQuery({ name: settled }, { enabled: isAsked });
  return settled === name.trim() ? check.data : undefined;
}

/** Below the name: where the site will be live, and that it is another address where the name's own is taken. */
export function AddressHint({ name, check }: { name: string; check: AddressCheck | undefined }) {
  const slug = slugFromName(name);
  if (name.trim() === '') return 'The address is made from the name';
  if (check === undefined && slug === '') return 'An address is made for it';
  const isTaken = check !== undefined && check.slug !== check.wanted;
  const shown = check === undefined ? slug : check.slug;
  return (
    <>
      {isTaken && (
        <span className="flex flex-wrap items-baseline gap-x-1">
          <Address slug={check.wanted} /> is taken.
        </span>
      )}
      {shown === null ? (
        'A few letters are added to it.'
      ) : (
        <span className="flex flex-wrap items-baseline gap-x-1">
          {isTaken ? 'It will be live at' : 'Will be live at'} <Address slug={shown} />
        </span>
      )}
    </>
  );
}

function Address({ slug }: { slug: string }) {
  return <HostName name={addressOfSlug(slug)} fit="wrap" className="text-xs!" />;
}
