/**
 * `coord simulate --remote` as it is called: anywhere, the same text for one seed, a picture, and a
 * usage error for what makes no sense.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hermetic, type Ran, said, temporaryFolder } from '../../support/repository.ts';

const quick = ['simulate', '--remote', '--hours', '0.5'];

function simulate(...args: readonly string[]): Ran & { readonly folder: string } {
  const folder = temporaryFolder();
  return { ...said(folder, hermetic(folder), args), folder };
}

/** Every element that begins ends, in order. */
function unbalanced(xml: string): readonly string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, closing, name = '', attributes = '', single] of xml
    .replace(/^<\?xml[^>]*\?>/, '')
    .matchAll(/<(\/?)([a-z]+)((?:\s+[a-zA-Z0-9:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (closing === '/') {
      if (open.pop() !== name || attributes !== '') wrong.push(name);
    } else if (single !== '/') open.push(name);
  }
  return [...wrong, ...open];
}

describe('coord simulate --remote', () => {
  test('needs no repository and says the same for one seed', () => {
    const [one, same, other] = [
      simulate(...quick),
      simulate(...quick),
      simulate(...quick, '--seed', '2'),
    ];
    expect(one.code).toBe(0);
    expect(same.stdout).toEqual(one.stdout);
    expect(other.stdout === one.stdout).toBe(false);
    for (const name of [
      '20 agents on 5 machines',
      'requests',
      'pushes',
      'reads',
      'p95',
      'fairness',
      '0 times two held one file',
    ])
      expect(one.stdout).toContain(name);
  });

  test('prints one object with --json, with its options and what is taken for granted', () => {
    const { code, json, stderr } = simulate(
      '--json',
      ...quick,
      '--machines',
      '2',
      '--agents',
      '6',
      '--rate',
      '30.5',
      '--latency',
      '1s',
      '--failures',
      '0',
      '--files',
      '9',
      '--seed',
      '3',
      '--wait',
      '1m',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json).toMatchObject({
      schema: 'coord.simulate/1',
      ok: true,
      result: 'simulated',
      violations: 0,
      lostOperations: 0,
      unknownResolved: 0,
      options: {
        machines: 2,
        agents: 6,
        ratePerHour: 30.5,
        latencyMs: 1_000,
        failures: 0,
        files: 9,
        hours: 0.5,
        seed: 3,
        waitMs: 60_000,
      },
      waitSeconds: { median: expect.any(Number), p95: expect.any(Number), max: expect.any(Number) },
      assumptions: expect.arrayContaining([expect.stringContaining('one voice a machine')]),
    });
    expect(json['granted'] + json['refused'] + json['unfinished']).toBe(json['requests']);
    expect(json['options']).not.toHaveProperty('lease');
  });

  test('sweeps sizes and distances, in columns, and says where one log stops being enough', () => {
    const { code, stdout } = simulate(...quick, '--sweep');
    expect(code).toBe(0);
    const rows = stdout.split('\n').slice(0, 22);
    expect(rows[0]).toMatch(/round trip +agents +machines/);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    for (const trip of ['50ms', '300ms', '1.5s']) {
      expect(rows.filter((row) => row.trimStart().startsWith(`${trip} `))).toHaveLength(7);
      expect(stdout).toContain(`round trip ${trip}: at most 6 pushes a minute`);
    }
    expect(stdout).toMatch(
      /round trip 1.5s: .* one log stops being enough at \d+ agents .* \d+ logs, split by path/,
    );
  });

  test('draws the sweep as well-formed SVG with a line and a word in the legend for each round trip', () => {
    const { code, folder, json } = simulate('--json', ...quick, '--svg', 'sweep.svg');
    const file = join(folder, 'sweep.svg');
    expect({ code, length: json['rows'].length }).toEqual({ code: 0, length: 21 });
    expect(String(json['svg'])).toMatch(/sweep\.svg$/);
    const svg = readFileSync(file, 'utf8');
    expect(unbalanced(svg)).toEqual([]);
    expect(unbalanced('<svg><g></svg>')).not.toEqual([]);
    expect(svg.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>]|NaN|undefined|Infinity/);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    for (const says of [
      'round trip 50ms',
      'round trip 300ms',
      'round trip 1.5s',
      'pushes a minute',
      'p95 wait in seconds',
      'agents',
      'advice of a large forge: 6 a minute',
    ])
      expect(svg).toContain(`>${says}</text>`);
    expect(svg.match(/<polyline /g)).toHaveLength(6);
    expect(svg.match(/<circle /g)).toHaveLength(42);
  });

  test('a sweep for one distance has one line', () => {
    const { json } = simulate('--json', ...quick, '--sweep', '--latency', '20ms');
    expect(
      json['rows'].map(({ options }: { options: { latencyMs: number } }) => options.latencyMs),
    ).toEqual(Array.from({ length: 7 }, () => 20));
  });

  test('without --remote it names --remote', () => {
    const { code, stderr } = simulate('simulate');
    expect(code).toBe(64);
    expect(stderr).toContain('--remote');
  });

  test.for([
    ['--machines', '0'],
    ['--machines', '1.5'],
    ['--machines', '-1'],
    ['--machines', '10001'],
    ['--agents', '0'],
    ['--agents', 'many'],
    ['--agents', '-3'],
    ['--rate', '0'],
    ['--rate', '100001'],
    ['--rate', '-5'],
    ['--rate', '1e3'],
    ['--latency', '0ms'],
    ['--latency', '300'],
    ['--latency', '-1s'],
    ['--latency', '2m'],
    ['--failures', '1.1'],
    ['--failures', '-0.1'],
    ['--failures', 'often'],
    ['--files', '0'],
    ['--hours', '0'],
    ['--hours', '1000'],
    ['--hours', '-8'],
    ['--seed', '-1'],
    ['--seed', '4294967296'],
    ['--seed', 'x'],
    ['--wait', 'long'],
    ['--sweep', '--agents', '5'],
    ['--sweep', '--machines', '5'],
    ['--sweep', '--wait', '1m'],
    ['--svg', 'x.svg', '--agents', '5'],
    ['--svg'],
    ['--nope'],
    ['extra'],
  ])('%j is a usage error', (args) => {
    const { code, stdout, stderr, folder } = simulate('simulate', '--remote', ...args);
    expect({ code, stdout }, stderr).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/^coord: /);
    expect(existsSync(join(folder, 'x.svg'))).toBe(false);
  });

  test('a picture that cannot be written is said so', () => {
    for (const file of ['no/such/folder/x.svg', '.']) {
      const { code, stderr } = simulate(...quick, '--svg', file);
      expect(code).toBe(69);
      expect(stderr).toContain('cannot write');
    }
  });
});
