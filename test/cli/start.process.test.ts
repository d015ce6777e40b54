/** The program ends, whatever goes wrong and whoever has stopped reading. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { coordProgram, repository } from '../support/repository.ts';

test('an error that nobody can be told of ends it with 70', async () => {
  const repo = repository();
  const late = join(repo.top, '..', 'late.cjs');
  writeFileSync(late, "setTimeout(() => { throw new Error('late'); }, 300);\n");
  const child = spawn(process.execPath, ['--require', late, coordProgram, '--version'], {
    cwd: repo.top,
    env: repo.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.destroy();
  const code = await new Promise((done) => child.on('exit', done));
  expect(code).toBe(70);
});
