import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { ConnectionCard } from '../../features/connections/connection-card.tsx';
import { PlatformSetup } from '../../features/deployments/setup/platform-setup.tsx';

/** The page of Netlify, with the steps that only Netlify needs. */
export function DeployNetlifyScreen() {
  return (
    <PlatformSetup
      platform="netlify"
      connections={<ConnectionCard provider="netlify" />}
      extras={
        <Card>
          <CardHeader title="What carries over" />
          <CardBody className="flex flex-col gap-3 text-ink-muted">
            <p>
              <code className="font-mono text-sm text-ink">_redirects</code> and{' '}
              <code className="font-mono text-sm text-ink">_headers</code> are followed by the built-in host as well, in
              the form that Netlify uses, so a website made for Netlify works here as it is. Lines that are not followed
              are named before you publish.
            </p>
            <p>
              Here and at Netlify, a page <code className="font-mono text-sm text-ink">404.html</code> is shown for
              addresses that do not exist.
            </p>
          </CardBody>
        </Card>
      }
    />
  );
}
