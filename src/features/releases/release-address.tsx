import { CopyButton } from '../../components/copy-button.tsx';
import { HostName } from '../../components/host-name.tsx';
import { formatAddress } from '../../lib/format.ts';

/** The public address: there, and to be copied, from the first second. */
export function ReleaseAddress({ url }: { url: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <HostName name={formatAddress(url)} />
      <CopyButton text={url} label="Copy address" />
    </span>
  );
}
