import { Globe, type LucideIcon, Plug } from 'lucide-react';
import { useState } from 'react';
import type { Connection } from '../../../routers/schemas/connections.ts';
import { CONNECTION_PROVIDERS } from '../../../routers/schemas/platforms/ids.ts';
import { HOSTING_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { Section } from '../../components/page/section.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConnectionRows } from './connection-rows.tsx';

type Texts = { title: string; description: string; connect: string; icon: LucideIcon; empty: string };

const PLATFORM_NAMES = new Intl.ListFormat('en', { type: 'disjunction' }).format(
  CONNECTION_PROVIDERS.map((id) => HOSTING_TITLES[id]),
);
const KINDS: Record<Connection['kind'], Texts> = {
  platform: {
    title: 'Hosting connections',
    description: 'Your accounts at hosting platforms. Tokens are stored encrypted and never shown again.',
    connect: 'Connect a platform',
    icon: Plug,
    empty: `No connections yet. Connect ${PLATFORM_NAMES} to publish there.`,
  },
  dns: {
    title: 'DNS connections',
    description:
      'Your accounts at DNS providers. Fairlead shows every change before making it, and never touches mail records. The only record added and removed automatically is the one that proves a domain to a certificate authority.',
    connect: 'Connect a DNS provider',
    icon: Globe,
    empty: 'No DNS connections yet. Connect a provider, and Fairlead adds the records of your domains for you.',
  },
};

/**
 * Lists the person's accounts at hosting platforms, or at DNS providers, which can be connected, tested, replaced and
 * removed.
 */
export function ConnectionList({ kind }: { kind: Connection['kind'] }) {
  const list = trpc.connections.list.useQuery();
  const [isConnecting, setConnecting] = useState(false);
  const connections = list.data?.items.filter((connection) => connection.kind === kind) ?? [];
  const [first, ...others] = kind === 'platform' ? CONNECTION_PROVIDERS : (list.data?.dnsProviders ?? []);
  const { title, description, connect, icon, empty } = KINDS[kind];
  return (
    <Section
      title={title}
      count={connections.length === 0 ? undefined : connections.length}
      description={description}
      action={
        <Button size="sm" disabled={first === undefined} onClick={() => setConnecting(true)}>
          {connect}
        </Button>
      }
    >
      <Card>
        <ListStates
          list={list}
          count={connections.length}
          skeleton={<SkeletonRows rows={1} lines={2} />}
          failure={shownFailure('The connections could not be loaded', list.error)}
          empty={{ icon, text: empty, isRow: true }}
        >
          <ConnectionRows connections={connections} />
        </ListStates>
      </Card>
      {isConnecting && first !== undefined && (
        <ConnectDialog providers={[first, ...others]} signIn={list.data?.signIn} onClose={() => setConnecting(false)} />
      )}
    </Section>
  );
}
