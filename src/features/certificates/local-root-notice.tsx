import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { savePem } from '../../lib/browser/save-text.ts';
import { paths } from '../../lib/paths/paths.ts';

const FILE_NAME = 'fairlead-root.pem';

/** Shows the root of the app's own authority (PEM), and explains its installation. */
export function LocalRootNotice({ root }: { root: string }) {
  return (
    <Notice
      tone="quiet"
      title="Browsers do not trust the certificates of this Fairlead yet"
      action={
        <Button size="sm" onClick={() => savePem(root, FILE_NAME)}>
          Download the root certificate
        </Button>
      }
    >
      <p>
        No public certificate authority is set up, so Fairlead signs its own certificates. A browser trusts them once
        the root certificate is installed on the same computer. Install it only if you trust whoever runs this Fairlead:
        that computer then trusts the certificates they sign for any website.{' '}
        <Link to={`${paths.help}#install-root`} className="underline hover:text-ink">
          How to install it
        </Link>
      </p>
    </Notice>
  );
}
