import { Fragment } from 'react';
import { HostName } from '../../components/host-name.tsx';
import { LinkedText } from '../../components/linked-text.tsx';

/** A text about a domain, with its addresses as links and the domain's name, also as part of another, in its own face. */
export function DomainText({ text, name }: { text: string; name: string }) {
  return text.split(' ').map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a word may be there twice, and the words never move
    <Fragment key={index}>
      {index > 0 && ' '}
      {word.includes(name) ? <HostName name={word} fit="wrap" /> : <LinkedText text={word} />}
    </Fragment>
  ));
}
