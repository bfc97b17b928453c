import { LinkedText } from '../../components/linked-text.tsx';

/** A text about a domain, with its addresses as links and the domain's name, also as part of another, in its own face. */
export function DomainText({ text, name }: { text: string; name: string }) {
  return text.split(/(?= )/).map((word, index) =>
    word.includes(name) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a word may be there twice, and the words never move
      <span key={index} className="font-mono wrap-anywhere">
        {word}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <LinkedText key={index} text={word} />
    ),
  );
}
