import { CopyButton } from '../../components/copy-button.tsx';
import { HostName } from '../../components/host-name.tsx';
import { formatAddress } from '../../lib/format.ts';

/** Shows the public address for copying; nothing while the platform has not named one. */
export function ReleaseAddress({ url }: { url: string }) {
  if (url === '') return null;
  return (
    <span className="flex min-w-0 items-center gap-1">
      <HostName name={formatAddress(url)} />
      <CopyButton text={url} label="Copy address" />
    </span>
  );
}
