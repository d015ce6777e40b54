import { probe } from '../../doctor/probe.ts';
import { switchOff, switchTo } from '../../landing/switch.ts';
import { logRef } from '../../log/view.ts';
import { checkLogRef, checkRemoteName } from '../../remote/remote-settings.ts';
import { renderProbe } from '../../render/doctor.ts';
import { renderSwitched } from '../../render/landing.ts';
import { isOn, text, type Verb } from '../verb.ts';

export const remoteSet: Verb = {
  words: ['remote', 'set'],
  group: 'machines',
  about: 'use the log on this remote from now on',
  more: 'Every clone that is to share the log runs this once.',
  positional: {
    name: 'name',
    completes: 'remote',
    least: 1,
    most: 1,
    about: 'a remote of this repository, as git remote shows it',
  },
  flags: [
    {
      name: 'ref',
      value: 'ref',
      about:
        'where the log is over there: refs/coord/log, or refs/heads/coord/log where a server takes branches only',
      usual: 'refs/coord/log',
    },
    { name: 'move', about: 'take along what is held here' },
    { name: 'yield', about: 'with --move: give up here what others hold over there' },
  ],
  examples: [
    ['coord remote set origin', 'in each clone of the team, once'],
    ['coord remote set origin --move', 'while leases are held here'],
    ['coord remote set origin --ref refs/heads/coord/log', 'for a server that takes branches only'],
  ],
  run: async (call) => {
    const remote = checkRemoteName(call.positionals[0] ?? '');
    const ref = checkLogRef(text(call, 'ref') ?? logRef);
    const world = call.world();
    const outcome = await switchTo(world, { remote, ref }, isOn(call, 'move'), isOn(call, 'yield'));
    return renderSwitched(outcome, world.settings.ttlMs);
  },
};

export const remoteOff: Verb = {
  words: ['remote', 'off'],
  group: 'machines',
  about: 'use the log in this repository again',
  more: 'For this clone alone.',
  flags: [
    { name: 'move', about: 'bring along what agents of this clone hold' },
    { name: 'force', about: 'go by what was last seen, where the server cannot be asked' },
  ],
  examples: [
    ['coord remote off', 'when no agent of this clone holds anything'],
    ['coord remote off --move', 'with what they hold'],
    ['coord remote off --force', 'when the server is gone for good'],
  ],
  run: async (call) => {
    const world = call.world();
    const outcome = await switchOff(world, isOn(call, 'move'), isOn(call, 'force'));
    return renderSwitched(outcome, world.settings.ttlMs);
  },
};

export const remoteProbe: Verb = {
  words: ['remote', 'probe'],
  group: 'machines',
  exits: '69 if the server is not fit for a log',
  about: "test how a server handles coord's refs",
  more: 'Whether it takes them, atomically, and protects them, how fast it is, and what follows.',
  positional: {
    name: 'name',
    completes: 'remote',
    least: 0,
    most: 1,
    about: 'a remote; without it the one that has the log, or origin',
  },
  flags: [
    {
      name: 'ref',
      value: 'ref',
      about: 'where the log would be',
      usual: 'where the log is, or refs/coord/log',
    },
  ],
  examples: [
    [
      'coord remote probe origin',
      'before remote set; it makes a ref of its own there and takes it away again',
    ],
  ],
  run: async (call) => {
    const world = call.world();
    const { moved } = (await world.local.observe()).state.meta;
    const remote = checkRemoteName(call.positionals[0] ?? moved?.remote ?? 'origin');
    const probed = await probe(world, {
      remote,
      ref: checkLogRef(text(call, 'ref') ?? moved?.ref ?? logRef),
    });
    return renderProbe(probed);
  },
};
