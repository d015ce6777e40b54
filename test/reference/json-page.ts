/** docs/reference/json.md: what each verb prints with --json, read from the schemas. */
import { exits } from '../../src/core/exits.ts';
import { verbGroups } from './groups.ts';
import { code, fence, page, table } from './markdown.ts';
import { type JsonSchema, jsonSchemas } from './schemas.ts';

type Rows = readonly (readonly string[])[];

function listIn(schema: JsonSchema, key: string): readonly JsonSchema[] {
  const value = schema[key];
  return Array.isArray(value) ? (value as readonly JsonSchema[]) : [];
}

function propertiesOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  return new Map(Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>));
}

function isAgentName(schema: JsonSchema): boolean {
  return [...propertiesOf(schema).keys()].join() === 'id,name';
}

/** In words, as short as it can be. */
function typeOf(schema: JsonSchema): string {
  const ref = schema['$ref'];
  if (typeof ref === 'string') return `[${ref.replace('.json', '')}](../../schema/${ref})`;
  if ('const' in schema) return code(JSON.stringify(schema['const']));
  const options = [...listIn(schema, 'anyOf'), ...listIn(schema, 'oneOf')];
  if (options.length > 0) return options.map(typeOf).join(' or ');
  const words = listIn(schema, 'enum');
  if (words.length > 0) return words.map((word) => code(String(word))).join(', ');
  if (schema['type'] === 'array') return `list of ${typeOf((schema['items'] ?? {}) as JsonSchema)}`;
  if (schema['format'] === 'date-time') return 'time';
  if (schema['type'] === 'object') {
    if (isAgentName(schema)) return '`{id, name}` of an agent';
    const names = [...propertiesOf(schema).keys()];
    return names.length === 0 ? 'object with open keys' : code(`{${names.join(', ')}}`);
  }
  return String(schema['type'] ?? 'anything');
}

/** A row for each fact, and one for each within an object. */
export function fieldRows(
  schema: JsonSchema,
  without: ReadonlySet<string> = new Set(),
  prefix = '',
): Rows {
  const required = new Set(listIn(schema, 'required').map(String));
  return [...propertiesOf(schema)]
    .filter(([name]) => !without.has(name))
    .flatMap(([name, value]): Rows => {
      const items = value['type'] === 'array' ? ((value['items'] ?? {}) as JsonSchema) : null;
      const inner = items ?? value;
      const path = `${prefix}${name}${items === null ? '' : '[]'}`;
      const rows =
        inner['$ref'] === undefined && !isAgentName(inner) && prefix.split('.').length < 3
          ? fieldRows(inner, new Set(), `${path}.`)
          : [];
      const about = String(value['description'] ?? '');
      return [
        [code(`${prefix}${name}`), typeOf(value), required.has(name) ? 'always' : 'may be', about],
        ...rows,
      ];
    });
}

const head = ['fact', 'type', 'there', 'about'];
const frame: ReadonlySet<string> = new Set([
  'schema',
  'ok',
  'result',
  'headMoved',
  'adviceOver',
  'hooksLost',
  'notJoined',
]);

function resultsOf(outcome: JsonSchema): readonly string[] {
  const { result } = Object.fromEntries(propertiesOf(outcome));
  if (result === undefined) return [];
  return 'const' in result ? [String(result['const'])] : listIn(result, 'enum').map(String);
}

function isPlainRefusal(outcome: JsonSchema): boolean {
  const facts = [...propertiesOf(outcome).keys()].filter((name) => !frame.has(name));
  return facts.join() === 'refusal,blockers,own,next';
}

function outcomePart(outcome: JsonSchema): readonly string[] {
  if (outcome['$ref'] !== undefined) return [`Each line: ${typeOf(outcome)}.`];
  const results = resultsOf(outcome);
  if (results.join() === 'error') return [];
  const isOk = propertiesOf(outcome).get('ok')?.['const'] === true;
  const said = results.map(code).join(', ');
  if (isPlainRefusal(outcome))
    return [`**${said}** (\`ok\` false): as [every refusal](#a-refusal).`];
  const about = outcome['description'];
  const rows = fieldRows(outcome, frame);
  return [
    `**${said}** (\`ok\` ${String(isOk)})${typeof about === 'string' ? `, ${about}` : ''}${rows.length === 0 ? ': nothing more.' : ':'}`,
    ...(rows.length === 0 ? [] : [table(head, rows).join('\n')]),
  ];
}

function verbPart(words: string, file: string, schema: JsonSchema): readonly string[] {
  const outcomes = listIn(schema, 'anyOf');
  const all = outcomes.length === 0 ? [schema] : outcomes;
  const remark = schema['description'];
  return [
    `### coord ${words}`,
    `[${file}.json](../../schema/${file}.json), \`coord.${words.split(' ')[0] ?? ''}/1\`${typeof remark === 'string' ? `. ${remark}` : '.'}`,
    ...all.flatMap(outcomePart),
  ];
}

/** One table for those that are the same but for what they are about. */
function shapePart(name: string, schema: JsonSchema): readonly string[] {
  const variants = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')];
  const title = `### ${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
  const intro = `[${name}.json](../../schema/${name}.json). ${String(schema['title'])}.`;
  if (variants.length === 0) return [title, intro, table(head, fieldRows(schema)).join('\n')];
  const common = [...propertiesOf(variants[0] ?? {}).keys()].filter((fact) =>
    variants.every((variant) => propertiesOf(variant).has(fact)),
  );
  const isOfAll = new Set(common);
  const of = (variant: JsonSchema): string =>
    typeOf(propertiesOf(variant).get('kind') ?? {})
      .replaceAll('`"', '`')
      .replaceAll('"`', '`');
  const shared = fieldRows(variants[0] ?? {}).filter(
    ([fact = '']) =>
      isOfAll.has(fact.replaceAll('`', '').split(/[.[]/)[0] ?? '') && fact !== '`kind`',
  );
  return [
    title,
    intro,
    table(head, shared).join('\n'),
    table(
      ['where `kind` is', ...head],
      variants.flatMap((variant) => {
        const own = fieldRows(variant, isOfAll);
        return own.length === 0
          ? [[of(variant), '', '', '', String(variant['description'] ?? '')]]
          : own.map((row) => [of(variant), ...row]);
      }),
    ).join('\n'),
  ];
}

export function jsonPage(): string {
  const schemas = jsonSchemas();
  const schemaOf = (file: string): JsonSchema => schemas.get(file) ?? {};
  return page('JSON', [
    'With `--json` (or `COORD_JSON=1`) every verb prints exactly one object on standard output, also for refusals and errors; `coord log` prints one a line. Each verb has a JSON Schema (2020-12) under [schema](../../schema). Facts that are not named there do not occur, unless it says that they are open. Times are RFC 3339 in UTC; `ttl`, `eta`, `heldFor`, `retryAfter` and `mayBreakIn` are seconds, what ends in `Ms` is milliseconds.',
    '## Every object',
    table(
      ['fact', 'type', 'about'],
      [
        ['`schema`', 'string', '`coord.<first word of the verb>/1`: those of one family share it'],
        ['`ok`', 'boolean', 'whether it came out as asked'],
        ['`result`', 'string', 'the word for what came out'],
        ['`headMoved`', '`{commits, touched}`', 'only in a session whose private index is behind'],
        ['`adviceOver`', 'list of string', 'what was granted as advice, and is over'],
        [
          '`hooksLost`',
          '`{missing, why, next}`',
          'once, where git runs not all hooks of coord any more',
        ],
        ['`notJoined`', '`{next}`', 'once, in a clone of a team that has not joined'],
      ],
    ),
    '### A refusal',
    `Exit ${exits.refused}; ${exits.tryAgain} after a wait, and ${exits.interrupted} with the result \`interrupted\` where a signal ended it.`,
    table(head, [
      ['`refusal`', '[refusal](../../schema/refusal.json)', 'always', 'why, by kind'],
      [
        '`blockers`',
        'list of [lease](../../schema/lease.json)',
        'always',
        'all that is in the way',
      ],
      ['`own`', 'list of [lease](../../schema/lease.json)', 'may be', 'of a cap: what counts'],
      ['`next`', 'string', 'always', 'the command that makes sense now'],
    ]),
    '### An error',
    'The same for every verb; the [codes](errors.md#errors) decide the exit code. With `arbiter_unreachable` there is also `leases`: what is still yours.',
    fence('json', [
      '{"schema":"coord.check/1","ok":false,"result":"error","error":{"code":"usage","message":"...","hint":"..."}}',
    ]),
    '### Help, and no verb',
    '`coord --help --json` prints the text of the help ([coord.json](../../schema/coord.json)), and so does a verb with `--help`. Where no verb is meant, `schema` is `coord.coord/1`.',
    '## Shapes',
    ...['lease', 'agent', 'wait', 'request', 'refusal', 'error'].flatMap((name) =>
      shapePart(name, schemaOf(name)),
    ),
    'Events stand in [events.md](events.md).',
    ...verbGroups().flatMap(({ title, verbs }) => [
      `## ${title}`,
      ...verbs.flatMap(({ words, file }) => verbPart(words, file, schemaOf(file))),
    ]),
  ]);
}
