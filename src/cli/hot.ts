#!/usr/bin/env node
/**
 * The entry of the `coord` program, built into one file: the verbs that agents call all day, read and
 * run without loading anything they do not need. Everything else, help and mistakes included, goes
 * to `main.ts` in the plain output beside it.
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { readArguments } from './arguments.ts';
import { hotVerbs } from './hot-verbs.ts';
import { runVerb } from './run-verb.ts';

/** Nothing that went wrong outside a report may look like a refusal. */
function giveUp(error: unknown): void {
  process.stderr.write(`coord: unexpected: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 70;
}

process.on('uncaughtException', giveUp);
const parsed = readArguments(process.argv.slice(2), hotVerbs, process.env);
if (parsed !== null) {
  void runVerb(parsed, process.env);
} else {
  const main = pathToFileURL(join(__dirname, 'cli', 'main.js')).href;
  void (import(main) as Promise<typeof import('./main.ts')>).then(({ main: run }) => run(process.argv.slice(2), process.env)).catch(giveUp);
}
