import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import * as z from 'zod/mini';

/**
 * A larger answer is refused, since it is parsed at once: a page of a hundred zones or fifty sets of records has some
 * fifty kilobytes and three thousand marks, of which a thousand take about a millisecond.
 */
const TEXT_MAX = 256 * 1024;
const MARKS_MAX = 10_000;
/** Each of these begins an element, a reference or an attribute's value. */
const MARKS: ReadonlySet<number> = new Set([0x3c, 0x26, 0x3d]);

/** Returns the schema of an XML answer with this root. An error of `read`, and text that is not XML, do not match. */
export function xmlAnswer<T>(root: string, read: (element: XmlElement) => T): z.ZodMiniType<T> {
  return z.pipe(
    z.string(),
    z.transform((text, context) => {
      const element = rootOf(text);
      try {
        if (element?.name === root) return read(element);
        context.issues.push({ code: 'custom', input: element?.name, message: `The root is not ${root}` });
      } catch (error) {
        context.issues.push({ code: 'custom', input: root, message: String(error) });
      }
      return z.NEVER;
    }),
  );
}

/**
 * Returns the outermost element; null for text that is not XML. The parser knows no entities but XML's own, and opens
 * nothing.
 */
export function rootOf(text: string): XmlElement | null {
  if (text.length > TEXT_MAX || hasMoreMarks(text)) return null;
  try {
    // XML 1.0, section 2.11, demands this; the parser does it too, but in quadratic time.
    return parseXml(text.replace(/\r\n?/g, '\n')).root;
  } catch {
    // The text is malformed, or nested so deeply that the parser stopped.
    return null;
  }
}

function hasMoreMarks(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length && marks <= MARKS_MAX; at += 1) if (MARKS.has(text.charCodeAt(at))) marks += 1;
  return marks > MARKS_MAX;
}

/** Returns the child elements with this name. */
export function elementsIn(element: XmlElement | null, name: string): XmlElement[] {
  return (element?.children ?? []).filter((child): child is XmlElement => isElement(child) && child.name === name);
}

function isElement(node: object): node is XmlElement {
  return 'name' in node && 'children' in node;
}

/** Returns the first element at this path below; null when there is none. */
export function elementAt(element: XmlElement | null, ...path: readonly string[]): XmlElement | null {
  return path.reduce<XmlElement | null>((found, name) => elementsIn(found, name)[0] ?? null, element);
}

/** Returns the text at this path. Throws when there is none. */
export function textAt(element: XmlElement, ...path: readonly string[]): string {
  const found = elementAt(element, ...path);
  if (found === null) throw new Error(`${element.name} has no ${path.join('/')}`);
  return found.text;
}

/** Returns an element as text; the content is not escaped. */
export function xmlElement(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for an element. */
export function xmlText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
