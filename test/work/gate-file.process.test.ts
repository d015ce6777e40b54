/** What a gate requires, as its file says. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commits, missing, story } from '../support/gated.ts';
import { checkout } from '../support/sessions.ts';

describe('what a gate requires [A4]', () => {
  test('a command that a shell has to read is required word by word', () => {
    const { repo, ann } = story();
    repo.write('.coord.json', '{"gate": {"require": [["sh", "-c", "true && true"]]}}');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'other rules');
    ann.coord('claim', 'bd-1');
    commits(ann);
    const refused = ann.coord('gate');
    expect(missing(refused)).toEqual(['evidence']);
    expect(refused.json['next']).toEqual(
      expect.stringMatching(/^coord verify --at \w+ -- sh -c 'true && true'$/),
    );
    expect(ann.coord('verify', '--', 'sh', '-c', 'true && true').code).toBe(0);
    expect(ann.coord('gate').code).toBe(0);
  });

  test('a commit cannot drop what its base requires, and what a file says is never run', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    repo.write('.coord.json', '{"gate": {"require": ["touch pwned"]}}');
    ann.git('add', '.coord.json');
    commits(ann);
    const ran = ann.coord('gate', '--strict');
    expect(ran.json['required']).toEqual(['touch pwned', 'sh test.sh']);
    expect(existsSync(join(repo.top, 'pwned'))).toBe(false);
  });

  test.for([
    '{"gate": {"require": "npm test"}}',
    '{"gate": {"require": [1]}}',
    '{"gate": {"require": ["a && b"]}}',
    '{"gate": {"require": [[]]}}',
    '{"gate": ',
    '[]',
    'null',
  ])('a .coord.json that says %s is named or asks for nothing, never taken for a pass by mistake', (text) => {
    const repo = checkout();
    repo.write('.coord.json', text);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'config');
    const ran = repo.coord('ann', 'gate');
    const isRefused = text === '[]' || text === 'null';
    expect(ran.code).toBe(isRefused ? 1 : 64);
    expect(ran.json['error']?.code ?? 'refused').toBe(isRefused ? 'refused' : 'bad_gate');
  });
});
