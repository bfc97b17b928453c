import { ExternalLink } from 'lucide-react';
import type { Domain, SetupOffer } from '../../../../routers/schemas/domains.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';

export type SetupOfferDialogProps = { domain: Domain; offer: SetupOffer; onClose: () => void };

/** Shows the records that a DNS provider would write, before the person goes there to agree. */
export function SetupOfferDialog({ domain, offer, onClose }: SetupOfferDialogProps) {
  const { providerName, url, records } = offer;
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={`Set up ${domain.name} at ${providerName}`}
      description="Sign in there and agree: nothing is written before you do. Records of these names that point elsewhere are replaced."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" asChild>
            <a href={url} target="_blank" rel="noreferrer" onClick={onClose}>
              Continue to {providerName} <ExternalLink />
            </a>
          </Button>
        </>
      }
    >
      <ul aria-label="Records" className="divide-y divide-line rounded-control border border-line">
        {records.map(({ type, name, value }) => (
          <li key={`${type} ${name} ${value}`} className="flex flex-col gap-1 px-3 py-2.5">
            <span className="font-mono text-sm wrap-anywhere">
              {type} {name}
            </span>
            <span className="font-mono text-sm wrap-anywhere text-ink-muted">{value}</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-ink-muted wrap-anywhere">
        The link opens <span className="font-mono">{new URL(url).host}</span>. Fairlead sees the records automatically
        once they are there.
      </p>
    </Dialog>
  );
}
