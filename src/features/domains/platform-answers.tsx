import { Check, CircleX, Clock, type LucideIcon } from 'lucide-react';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Badge, type BadgeTone } from '../../components/badge.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { HostName } from '../../components/host-name.tsx';
import { Time } from '../../components/time.tsx';

type AtPlatform = NonNullable<Domain['atPlatform']>;
type Answer = AtPlatform['answers'][number];

/**
 * Shows the answers of the platform that serves a domain: whether it has the name, sees its records, and has a
 * certificate.
 */
export function PlatformAnswers({ atPlatform: { platform, answers, steps } }: { atPlatform: AtPlatform }) {
  const { title } = PLATFORMS[platform];
  return (
    <Card>
      <CardHeader title={`What ${title} says`} />
      <CardBody className="flex flex-col gap-4">
        {answers.length === 0 && <p className="text-sm text-ink-muted">{title} has not been asked yet.</p>}
        {answers.map((answer) => (
          <PlatformAnswer key={answer.name} answer={answer} isNamed={answers.length > 1} />
        ))}
        {steps.map(({ text, url }) => (
          <p key={text} className="text-sm text-ink-muted text-pretty wrap-anywhere">
            {text}{' '}
            {url !== undefined && (
              <a href={url} target="_blank" rel="noreferrer" className="font-medium text-accent underline">
                Open {title}
              </a>
            )}
          </p>
        ))}
      </CardBody>
    </Card>
  );
}

function PlatformAnswer({ answer, isNamed }: { answer: Answer; isNamed: boolean }) {
  const { name, ownership, dns, certificate } = answer;
  return (
    <div className="flex flex-col gap-2">
      {isNamed && <HostName name={name} fit="wrap" />}
      <ul className="flex flex-col gap-2">
        {[
          { word: 'Domain', said: ownership },
          { word: 'DNS', said: dns },
          { word: 'Certificate', said: certificate },
        ].map(({ word, said }) => (
          <li key={word} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge {...looks[said.state]}>{word}</Badge>
            <span className="min-w-0 flex-1 basis-48 text-sm text-pretty wrap-anywhere">
              {said.text}
              {said === certificate && certificate.expiresAt !== null && (
                <>
                  {' '}
                  It expires <Time at={certificate.expiresAt} />.
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const looks: Record<Answer['dns']['state'], { tone: BadgeTone; icon: LucideIcon }> = {
  ok: { tone: 'good', icon: Check },
  waiting: { tone: 'warn', icon: Clock },
  problem: { tone: 'bad', icon: CircleX },
};
