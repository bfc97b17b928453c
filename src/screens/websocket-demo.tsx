import { Link } from 'wouter';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { EmptyState } from '../components/page/empty-state.tsx';
import { Page } from '../components/page/page.tsx';
import { Spinner } from '../components/spinner.tsx';
import { ChannelStateBadge } from '../features/events/channel-state.tsx';
import { EventList } from '../features/events/event-list.tsx';
import { TestForm } from '../features/events/test-form.tsx';
import { href, paths } from '../lib/paths/paths.ts';
import { useChannel } from '../realtime/channel.ts';

/** Shows the real channel: its state, and events as they arrive. */
export function WebsocketDemoScreen() {
  const { user, isLoading } = useUser();
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">WebSocket demo</h1>
      <p className="mt-2 mb-6 text-lg text-ink-muted text-pretty">
        One connection brings the events of your account to every open tab. Events are numbered, so after a break the
        connection continues with the first event you missed.
      </p>
      {isLoading && <Spinner label="Checking your session…" />}
      {!isLoading && user === null && (
        <Card>
          <EmptyState
            action={
              <Button asChild variant="primary">
                <Link to={href.login(paths.websocketDemo)}>Log in</Link>
              </Button>
            }
          >
            No connection is open: events belong to an account. Log in to see yours.
          </EmptyState>
        </Card>
      )}
      {user !== null && <OwnChannel />}
    </Page>
  );
}

function OwnChannel() {
  const { state, items } = useChannel();
  return (
    <Card>
      <CardHeader title="Your channel" action={<ChannelStateBadge state={state} />} />
      <CardBody>
        <TestForm />
      </CardBody>
      <div aria-live="polite" className="border-t border-line">
        <EventList items={items} />
      </div>
    </Card>
  );
}
