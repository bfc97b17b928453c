import { Link } from 'wouter';
import type { LostConnection } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { connectionLinks, useReturnState } from '../../lib/paths/connection-links.ts';
import { Button, type ButtonProps } from '../button.tsx';

export type MendConnectionProps = Pick<ButtonProps, 'size'> & {
  lost: Pick<LostConnection, 'provider' | 'connectionId'>;
  /** Names the platform for screen readers, when there are several such buttons. */
  isNamed?: boolean;
};

type MendLinkProps = Omit<MendConnectionProps, 'size'>;

/** Leads to the remedy for a deployment that cannot be published: another token, or its account anew. */
export function MendConnection({ lost, size, isNamed = false }: MendConnectionProps) {
  return (
    <Button variant="primary" size={size} asChild>
      <MendLink lost={lost} isNamed={isNamed} />
    </Button>
  );
}

/** The link alone, for a menu. */
export function MendLink({ lost: { provider, connectionId }, isNamed, ...rest }: MendLinkProps) {
  const title = PLATFORM_TITLES[provider];
  const state = useReturnState();
  return (
    <Link
      {...rest}
      to={connectionId === null ? connectionLinks.connect(provider) : connectionLinks.replaceToken(connectionId)}
      state={state}
      aria-label={isNamed && connectionId !== null ? `Replace token for ${title}` : undefined}
    >
      {connectionId === null ? `Connect ${title}` : 'Replace token'}
    </Link>
  );
}
