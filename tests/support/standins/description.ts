import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

/** A published description that a stand-in is held to: Swagger 2.0, OpenAPI 3.0, or a JSON hyper-schema. */
export type Description = {
  /** Returns the part of a request that does not fit, or null. Throws when there is no such operation. */
  faultOfRequest(method: string, path: string, body: unknown): string | null;
  /** The same of an answer; one whose status is not described is taken as it is. */
  faultOfAnswer(method: string, path: string, status: number, body: unknown): string | null;
};

export type DescriptionName =
  | 'netlify'
  | 'vercel'
  | 'github-pages'
  | 'render'
  | 'heroku'
  | 'digitalocean'
  | 'hetzner'
  | 'stripe';

type Json = Record<string, unknown>;
/** The positions of one operation's schemas in the description. */
type Operation = { request: string | Json | null; answer(status: number): string | Json | null };

const FORM = 'application/x-www-form-urlencoded';
/** The form's media type as it is written in a pointer. */
const FORM_KEY = encodeURIComponent(FORM.replace('/', '~1'));

const opened = new Map<DescriptionName, Description>();

/** Reads `tests/support/specs/<name>.json`, once. Paths are those of the description, as `/sites/{site_id}`. */
export function readDescription(name: DescriptionName): Description {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const file = join(import.meta.dirname, '..', 'specs', `${name}.json`);
  const document = normalized(JSON.parse(readFileSync(file, 'utf8')));
  if (!isJson(document)) throw new Error(`${name}.json is no description.`);
  const description = describe(name, document);
  opened.set(name, description);
  return description;
}

function describe(name: DescriptionName, document: Json): Description {
  // A schema answers a few bodies of a test: to improve its code would take longer than it is used (Ajv, "Options").
  const quick = { inlineRefs: false, code: { optimize: false } } as const;
  const options = { strict: false, validateSchema: false, validateFormats: false, logger: false, ...quick } as const;
  const ajv = new Ajv(options).addSchema(document, name);
  // In a form everything is a text.
  const forms = new Ajv({ ...options, coerceTypes: true }).addSchema(document, name);
  const compiled = new Map<string, ValidateFunction>();
  const faultOf = (schema: string | Json, body: unknown): string | null => {
    const key = JSON.stringify(schema);
    const compiler = key.includes(FORM_KEY) ? forms : ajv;
    const check =
      compiled.get(key) ?? compiler.compile(typeof schema === 'string' ? { $ref: `${name}${schema}` } : schema);
    compiled.set(key, check);
    return check(body) ? null : ajv.errorsText(check.errors, { dataVar: 'body' });
  };
  const find = 'paths' in document ? operationOfPaths(document) : operationOfLinks(document, name);
  const operationOf = (method: string, path: string): Operation => {
    const operation = find(method, path);
    if (operation === null) throw new Error(`${name}.json describes no ${method} ${path}.`);
    return operation;
  };
  return {
    faultOfRequest(method, path, body) {
      const { request } = operationOf(method, path);
      return request === null || body === undefined ? null : faultOf(request, body);
    },
    faultOfAnswer(method, path, status, body) {
      const schema = operationOf(method, path).answer(status);
      return schema === null ? null : faultOf(schema, body);
    },
  };
}

type Find = (method: string, path: string) => Operation | null;

function operationOfPaths(document: Json): Find {
  return (method, path) => {
    const base = ['paths', path, method.toLowerCase()];
    const operation = follow(document, at(document, base));
    if (!isJson(operation)) return null;
    const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
    const bodyIndex = parameters.findIndex((one) => isJson(one) && one.in === 'body');
    const requests = [
      [...base, 'parameters', String(bodyIndex), 'schema'],
      [...base, 'requestBody', 'content', 'application/json', 'schema'],
      [...base, 'requestBody', 'content', FORM, 'schema'],
    ];
    return {
      request: pointerOf(requests.find((keys) => isJson(at(document, keys)))),
      answer(status) {
        for (const code of [String(status), 'default']) {
          const { keys, value } = resolve(document, [...base, 'responses', code]);
          if (!isJson(value)) continue;
          const schemas = [
            [...keys, 'schema'],
            [...keys, 'content', 'application/json', 'schema'],
          ];
          return pointerOf(schemas.find((one) => isJson(at(document, one))));
        }
        return null;
      },
    };
  };
}

/** Heroku's: each definition has links, whose parameters are long references; ours name them in braces. */
function operationOfLinks(document: Json, name: string): Find {
  const shape = (href: string): string => href.replace(/\{[^}]*\}/g, '{}');
  return (method, path) => {
    for (const [definition, value] of Object.entries(isJson(document.definitions) ? document.definitions : {})) {
      const links = isJson(value) && Array.isArray(value.links) ? value.links.filter(isJson) : [];
      const isMeant = (link: Json): boolean => link.method === method && shape(String(link.href)) === shape(path);
      const index = links.findIndex(isMeant);
      const link = links[index];
      if (link === undefined) continue;
      const keys = ['definitions', definition, 'links', String(index)];
      const target = isJson(link.targetSchema) ? [...keys, 'targetSchema'] : ['definitions', definition];
      const one = pointerOf(target);
      // One address may take several kinds of bodies, each a link of its own.
      const bodies = links.flatMap((other, at) => {
        if (!isMeant(other) || !isJson(other.schema)) return [];
        return [{ $ref: `${name}${pointerOf(['definitions', definition, 'links', String(at), 'schema'])}` }];
      });
      return {
        request: bodies.length > 0 ? { anyOf: bodies } : null,
        answer: (status) => {
          if (status >= 300) return null;
          if (link.rel !== 'instances' || isArraySchema(at(document, target))) return one;
          return { type: 'array', items: { $ref: `${name}${one}` } };
        },
      };
    }
    return null;
  };
}

function isArraySchema(value: unknown): boolean {
  return isJson(value) && [value.type].flat().includes('array');
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(document: unknown, keys: readonly string[]): unknown {
  let value = document;
  for (const key of keys) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJson(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function resolve(document: Json, keys: string[]): { keys: string[]; value: unknown } {
  const value = at(document, keys);
  if (!isJson(value) || typeof value.$ref !== 'string') return { keys, value };
  return resolve(document, keysOf(value.$ref));
}

function follow(document: Json, value: unknown): unknown {
  return isJson(value) && typeof value.$ref === 'string' ? at(document, keysOf(value.$ref)) : value;
}

function keysOf(pointer: string): string[] {
  return pointer
    .slice(2)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function pointerOf(keys: readonly string[]): string;
function pointerOf(keys: readonly string[] | undefined): string | null;
function pointerOf(keys: readonly string[] | undefined): string | null {
  if (keys === undefined) return null;
  const escaped = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${escaped.join('/')}`;
}

/**
 * The same schemas in the words that the validator knows: `nullable` is a type or an alternative, and an old draft's
 * `id` and `$schema` are no names; a property that happens to be called so is a schema, and no text. `oneOf` is written
 * from unions, whose members may overlap.
 */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalized);
  if (!isJson(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, one]) => !((key === 'id' || key === '$schema') && typeof one === 'string'))
    .filter(([key, one]) => !(key.startsWith('exclusive') && typeof one === 'boolean'))
    .filter(([key, one]) => !(key === 'nullable' && typeof one === 'boolean'))
    .map(([key, one]) => [key === 'oneOf' ? 'anyOf' : key, normalized(one)]);
  const schema: Json = Object.fromEntries(entries);
  if (schema.strictProperties === true && isJson(schema.properties)) schema.additionalProperties ??= false;
  if (value.nullable !== true) return schema;
  return { anyOf: [schema, { type: 'null' }] };
}
