/** hooks/alone: coord's hooks and nobody else's, for a git whose own were switched off. */
import { hookEvents } from '../../src/git/hook-files.ts';

export function hooksAlone(): readonly (readonly [path: string, text: string])[] {
  return hookEvents.map((event) => [`hooks/alone/${event}`, script(event)]);
}

function script(event: string): string {
  return [
    '#!/bin/sh',
    '# Written by `npm run reference` from src/git/hook-files.ts; a change belongs there.',
    'coord_hooks=${0%/alone/*}',
    'export COORD_GIT_PID=$PPID',
    '. "$coord_hooks/git-hook"',
    `coord_hook ${event} "$@" || exit 1`,
    '',
  ].join('\n');
}
