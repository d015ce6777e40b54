/** `coord config`: which settings there are, what they are here and why, and how to change one. */
import type { RealWorld } from '../../agent/world.ts';
import { closest } from '../../core/closest.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import type { Setting } from '../../core/setting.ts';
import { settingByKey } from '../../core/settings.ts';
import { shellLine } from '../../core/shell-line.ts';
import { teamFile } from '../../core/team.ts';
import type { Setting as Found } from '../../doctor/findings.ts';
import { settingsOf } from '../../doctor/settings.ts';
import { type Scope, setConfigIn } from '../../git/config.ts';
import { setInTeamFile } from '../../git/write-team-file.ts';
import type { Report } from '../../render/report.ts';
import { type Call, isOn, texts, type Verb } from '../verb.ts';

function known(said: string): Setting<unknown> {
  const key = said.toLowerCase().replace(/^(?!coord\.)/, 'coord.');
  const setting = settingByKey.get(key);
  if (setting !== undefined) return setting;
  const near = closest(key, [...settingByKey.keys()]);
  throw new CoordError(
    'bad_setting',
    `there is no setting '${said}'`,
    near === null
      ? 'coord config'
      : `did you mean: ${shellLine('coord', 'config', settingByKey.get(near)?.name ?? near)}`,
  );
}

/** As `git config --show-origin` says it, for people. */
function whereFrom(origin: string): string {
  return origin.replace(/^file:/, '').replace(/^command line:$/, 'the command line');
}

interface Shown extends Found {
  readonly setting: Setting<unknown>;
}

function all(world: RealWorld, call: Call): readonly Shown[] {
  return settingsOf(world.repository, texts(call, 'config')).flatMap((found) => {
    const setting = settingByKey.get(found.key);
    return setting === undefined ? [] : [{ ...found, setting }];
  });
}

function factsOf({ value, origin, setting }: Shown): Readonly<Record<string, unknown>> {
  const { name, usual, means, takes } = setting;
  return { key: name, value, origin, default: usual, means, takes };
}

function list(shown: readonly Shown[]): Report {
  return {
    ok: true,
    exit: exits.done,
    result: 'settings',
    facts: { settings: shown.map(factsOf) },
    says: [
      {
        headings: ['SETTING', 'VALUE', 'FROM'],
        rows: shown.map(({ value, origin, setting }) => [
          setting.name,
          value === '' ? '-' : value,
          `(${whereFrom(origin)})`,
        ]),
        paints: ['plain', 'strong', 'dim'],
        giveWay: [2, 1],
      },
    ],
    notes: ['what one means: coord config <key>; to change it: coord config <key> <value>'],
  };
}

function show(found: Shown): Report {
  const { value, origin, setting } = found;
  return {
    ok: true,
    exit: exits.done,
    result: 'setting',
    facts: { setting: factsOf(found) },
    says: [value],
    notes: [
      origin === 'default'
        ? `${setting.name} is set nowhere: this is its default`
        : `${setting.name} comes from ${whereFrom(origin)}`,
      `  ${setting.means}`,
      `  takes: ${setting.takes}; default: ${setting.usual === '' ? 'nothing' : setting.usual}`,
    ],
  };
}

function scopeOf(call: Call): Scope | 'team' {
  const scopes = (['global', 'team'] as const).filter((name) => isOn(call, name));
  if (scopes.length > 1)
    throw new CoordError('usage', '--global and --team name two places', 'coord config --help');
  return scopes[0] ?? 'local';
}

/** Null takes it out. */
function change(
  call: Call,
  world: RealWorld,
  setting: Setting<unknown>,
  values: readonly string[] | null,
): Report {
  const { repository } = world;
  const { name, isMany, isOwn } = setting;
  const scope = scopeOf(call);
  const value = values?.join(' ') ?? null;
  if (values !== null && values.length > 1 && isMany !== true)
    throw new CoordError(
      'usage',
      `${name} takes one value`,
      shellLine('coord', 'config', name, values.join(' ')),
    );
  if (value !== null) setting.read(value);
  if (scope === 'team' && isOwn === true)
    throw new CoordError(
      'usage',
      `${name} is not for a team to say: each user says it`,
      shellLine('coord', 'config', name, ...(values ?? ['--unset'])),
    );
  if (scope === 'team') setInTeamFile(repository, setting, values);
  else setConfigIn(repository, { [name]: value }, scope);
  const where = scope === 'team' ? teamFile : `git config --${scope}`;
  const now = all(world, call).find((found) => found.setting === setting);
  const isOverruled = value !== null && now !== undefined && now.value !== value;
  return {
    ok: true,
    exit: exits.done,
    result: value === null ? 'unset' : 'set',
    facts: { key: name, value, where: scope },
    says: [value === null ? `${name} is taken out of ${where}` : `${name} is ${value} in ${where}`],
    notes: isOverruled
      ? [`note: it is '${now.value}' here all the same, by ${whereFrom(now.origin)}`]
      : [],
  };
}

export const config: Verb = {
  words: ['config'],
  group: 'setup',
  about: 'show the settings, or set one',
  more: 'It says what each setting is here, and where that comes from.',
  positional: {
    name: 'key and value',
    completes: 'setting',
    least: 0,
    most: 100,
    about: 'such as ttl, or ttl 20m; all settings without it',
  },
  flags: [
    { name: 'global', about: 'for all repositories of this user' },
    {
      name: 'team',
      about: `in ${teamFile}, which is committed: for everybody who says nothing else`,
    },
    { name: 'unset', about: 'take it out again' },
  ],
  examples: [
    ['coord config', 'all of them'],
    ['coord config ttl 20m', 'in this repository'],
    ['coord config --team union CHANGELOG.md', 'for the whole team'],
  ],
  run: (call) => {
    const world = call.world();
    const [key, ...values] = call.positionals;
    if (key === undefined) return list(all(world, call));
    const setting = known(key);
    const isOut = isOn(call, 'unset');
    if (isOut && values.length > 0)
      throw new CoordError(
        'usage',
        '--unset takes no value',
        shellLine('coord', 'config', '--unset', key),
      );
    if (isOut || values.length > 0) return change(call, world, setting, isOut ? null : values);
    const found = all(world, call).find((one) => one.setting === setting);
    return found === undefined ? list([]) : show(found);
  },
};
